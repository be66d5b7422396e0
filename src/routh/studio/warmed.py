"""What a worker needs, loaded and used once: processes that are forked afterwards have it at once.

Importing this module is its whole purpose. A first model costs a quarter of a second, mostly for what
SymPy, pydantic and CasADi set up when they are first used.
"""

from __future__ import annotations

import gc
import json
import os

from routh.studio.limits import ONE_THREAD

PENDULUM = """
name = "pendulum"
[coordinates]
theta = {start = 0.5}
[parameters]
l = 2
g = 9.81
[energy]
kinetic = "l^2/2*theta'^2"
potential = "-g*l*cos(theta)"
"""


def _warm() -> None:
    """Load and use what answers use; quietly, since a worker without it is slower and nothing else."""
    os.environ.update(ONE_THREAD)
    from routh.studio.workbench import Workbench

    bench = Workbench(_unheard)
    for ask in ("read", "live", "picture", "lore"):
        request = {"n": 0, "ask": ask, "desk": "", "about": {"text": PENDULUM, "values": {}}}
        bench.answer(json.dumps(request).encode())
    gc.collect()
    gc.freeze()  # what is shared by all workers stays shared: the collector does not touch its pages


def _unheard(_: bytes) -> None:
    """Nobody listens."""


_warm()
