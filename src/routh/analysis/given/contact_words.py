"""Friction by its values: what brakes must not drive, and a contact at rest holds at least as much."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.arrays import Array
from routh.errors import DeclarationError
from routh.kernels.kernel import kernel
from routh.language.contact.friction import Friction
from routh.language.symbols import Parameter
from routh.language.system import System
from routh.language.walk import leaves

PAIRS = (("static", "kinetic"), ("static_coefficient", "coefficient"))
"""What holds at rest, and what brakes slow slip."""


def refuse_driving(system: System, given: Conditions) -> None:
    """Refuse friction that the values make drive the slip, or hold less than it brakes.

    Words that change with position or time are looked at where the motion is.

    Raises:
        DeclarationError: names the contact and the word.
    """
    for contact in system.friction:
        numbers = _numbers(system, given, contact)
        for word, values in numbers.items():
            least = float(values.min())
            if not least >= 0:
                raise DeclarationError(
                    f"`{word}` of {contact} is {least:.6g}. Friction must not be negative: it would"
                    " drive the slip."
                )
        for held, slow in PAIRS:
            if held in numbers and slow in numbers and np.any(numbers[held] < numbers[slow]):
                k = int(np.argmax(numbers[held] < numbers[slow]))
                raise DeclarationError(
                    f"`{held}` of {contact} is {numbers[held][k]:.6g}, below the"
                    f" {numbers[slow][k]:.6g} of `{slow}`. A contact at rest holds at least as much."
                )


def _numbers(system: System, given: Conditions, contact: Friction) -> Mapping[str, Array]:
    """The words of a contact that are made of parameters alone, and the factors of reactions' sizes."""
    words = {word: e for word, e in contact.curve or () if word != "normal"}
    if contact.normal is not None:
        words |= {f"normal/{size}": e for size, e in contact.factors.items()}
    fixed = {word: e for word, e in words.items() if all(isinstance(s, Parameter) for s in leaves([e]))}
    if not fixed:
        return {}
    engine = kernel(system)
    q = np.zeros((len(given.p), len(system.coordinates)))
    point = given.point(engine, q, np.zeros((len(q), len(system.constraints))))
    columns = engine.values(list(fixed.values()), point)
    return dict(zip(fixed, columns.T, strict=True))
