"""The argument `engine` of verbs that take batches."""

from __future__ import annotations

from routh.errors import DeclarationError, DerivationError, did_you_mean
from routh.kernels.engine import Engine


def checked_engine(engine: object, *, on_gpu: bool = False) -> Engine:
    """The engine that was asked for.

    Raises:
        DeclarationError: there is no such engine.
        DerivationError: it is one for a GPU, where this verb does not run yet.
    """
    if engine == Engine.CUDA and not on_gpu:
        raise DerivationError(
            'engine="cuda" is not there for this verb yet. Give engine="c", which takes all cores of'
            " this machine: the results are the same."
        )
    if isinstance(engine, str) and engine in set(Engine):
        return Engine(engine)
    names = [f'"{each}"' for each in Engine]
    raise DeclarationError(
        f"`engine` is one of {', '.join(names)}. Got {engine!r}.{did_you_mean(engine, Engine)}"
    )
