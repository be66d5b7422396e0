"""Results that are saved beside what is printed: the path is asked before the work, not after it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


def refuse_unsavable(path: Path | None) -> None:
    """Say before the work that a result could not be saved there."""
    if path is not None:
        from routh.data.formats_of_results import refuse_unsavable_path

        refuse_unsavable_path(path)


def saved(result: Any, path: Path | None, expressions: Sequence[Any] = ()) -> None:
    """Save a result where that was asked for."""
    if path is not None:
        result.save(path, expressions=expressions)
