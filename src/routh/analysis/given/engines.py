"""The argument `engine` of verbs that take batches."""

from __future__ import annotations

from routh.errors import DeclarationError, did_you_mean
from routh.kernels.compiled import devices
from routh.kernels.engine import Engine


def checked_engine(engine: object) -> Engine:
    """The engine that was asked for.

    Raises:
        DeclarationError: there is no such engine.
        MissingExtra: it is one for a GPU, without the extra `gpu`.
        DerivationError: this machine has no GPU.
    """
    if isinstance(engine, str) and engine in set(Engine):
        if engine == Engine.CUDA:
            devices()
        return Engine(engine)
    names = [f'"{each}"' for each in Engine]
    raise DeclarationError(
        f"`engine` is one of {', '.join(names)}. Got {engine!r}.{did_you_mean(engine, Engine)}"
    )
