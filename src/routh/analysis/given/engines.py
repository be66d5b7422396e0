"""The argument `engine` of verbs that take batches."""

from __future__ import annotations

from routh.errors import DeclarationError, DerivationError, did_you_mean
from routh.kernels.engine import Engine


def checked_engine(engine: object) -> Engine:
    """The engine that was asked for.

    Raises:
        DeclarationError: there is no such engine.
        DerivationError: it is one for a GPU, which is not here yet.
    """
    if engine == Engine.CUDA:
        raise DerivationError(
            'engine="cuda" is not here yet: the same source will run there, on an NVIDIA GPU and with'
            ' the extra `gpu`. Give engine="c": it is compiled for all cores of this machine.'
        )
    if isinstance(engine, str) and engine in set(Engine):
        return Engine(engine)
    names = [f'"{each}"' for each in Engine]
    raise DeclarationError(
        f"`engine` is one of {', '.join(names)}. Got {engine!r}.{did_you_mean(engine, Engine)}"
    )
