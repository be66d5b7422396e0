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
            'engine="cuda" is not there for this verb yet. Give engine="c": it is compiled for all cores'
            " of this machine."
        )
    if isinstance(engine, str) and engine in set(Engine):
        return Engine(engine)
    names = [f'"{each}"' for each in Engine]
    raise DeclarationError(
        f"`engine` is one of {', '.join(names)}. Got {engine!r}.{did_you_mean(engine, Engine)}"
    )


def engine_of_batches(engine: object, what: str) -> Engine:
    """The engine that was asked for, for what has none on a GPU.

    Raises:
        DeclarationError: there is no such engine, or not here.
    """
    found = checked_engine(engine)
    if found is Engine.CUDA:
        raise DeclarationError(
            f'{what} by engine="cuda": not here yet. Give engine="c", which takes all cores, or'
            " leave it out: the results are the same."
        )
    return found
