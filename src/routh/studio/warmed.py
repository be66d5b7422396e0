"""What a worker needs, loaded and used once: processes that are forked afterwards have it at once.

Importing this module is its whole purpose. A first model costs a quarter of a second, mostly for what
SymPy, pydantic and CasADi set up when they are first used.
"""

from __future__ import annotations

import gc
import json
import os

from routh.studio.process_limits import ONE_THREAD

USED = ("lore", "read", "live", "picture", "rests", "motion")
"""Asks that are done once; the others find most of what they need then."""


def _warm() -> None:
    """Load and use what answers use; quietly, since a worker without it is slower and nothing else."""
    os.environ.update(ONE_THREAD)
    from routh.files.examples import example_text
    from routh.studio.workbench import Workbench

    bench = Workbench(_unheard)
    for ask in USED:
        request = {"n": 0, "ask": ask, "desk": "", "about": {"text": example_text("pendulum")}}
        bench.answer(json.dumps(request).encode())
    gc.collect()
    gc.freeze()  # what is shared by all workers stays shared: the collector does not touch its pages


def _unheard(_: bytes) -> None:
    """Nobody listens."""


_warm()
