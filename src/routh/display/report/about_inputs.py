"""What a report says about inputs: state space, transfer functions and the frequency response."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.response import FrequencyResponse, frequency_response
from routh.analysis.linear.state_space import StateSpace, state_space
from routh.analysis.stability.natural_modes import Modes
from routh.arrays import Array
from routh.display.report.formulas import matrix, signal
from routh.display.report.items import Equation, Folded, Item, Pictures, Words
from routh.display.report.transfer import symbolic_transfers, transfers
from routh.errors import RouthError
from routh.mechanics.quadratic import LinearEquations

SMALL = 4
"""Coordinates up to which A, B, C, D are open, and transfer functions written."""

SYMBOLS = 2
"""Coordinates up to which transfer functions are written in symbols."""

WIDE = 420
"""Signs of LaTeX up to which one is written in symbols."""

FREQUENCIES = 601
"""Frequencies of a response."""


def inputs_part(
    each: Modes, number: int, symbolic: LinearEquations | None, pictures: Pictures
) -> Iterator[Item]:
    """A, B, C, D, transfer functions and Bode plots about one equilibrium; nothing without inputs."""
    linear = each.linear
    if not linear.inputs:
        return
    try:
        model = state_space(linear)
    except RouthError as error:
        yield Words(str(error), aside=True)
        return
    yield from _state_space(linear, model)
    if len(linear.system.coordinates) <= SMALL:
        yield from _transfers(model, symbolic)
    for found in responses(each):
        if isinstance(found, str):
            yield Words(found, aside=True)
            continue
        yield from pictures.response(found, number)
        if found.remark:
            yield Words(found.remark, aside=True)


def _state_space(linear: LinearModel, model: StateSpace) -> Iterator[Item]:
    n = len(linear.system.coordinates)
    A, B, C, D = (f"{name} = {matrix(X)}" for name, X in zip("ABCD", model, strict=True))
    written = (Equation(rf"{A}, \quad {B}"), Equation(rf"{C}, \quad {D}"))
    states = "deviations of the coordinates and their rates"
    told = Words(f"State space x' = A x + B u, y = C x + D u: x are the {states}, y the coordinates.")
    inputs = ", ".join(f"`{u}`" for u in model.inputs)
    told = Words(f"{told.text} u is {inputs}.")
    if n <= SMALL:
        yield told
        yield from written
    elif n <= 15:
        yield Folded("State space A, B, C, D", (told, *written))


def _transfers(model: StateSpace, symbolic: LinearEquations | None) -> Iterator[Item]:
    """Each transfer function in numbers, and in symbols where that is short."""
    few = symbolic is not None and len(symbolic.system.coordinates) <= SYMBOLS
    told = symbolic_transfers(symbolic) if symbolic is not None and few else {}
    yield Words("Transfer functions, from each input to each coordinate:")
    for each in transfers(model):
        name = rf"G_{{{signal(each.output)},\, {signal(each.input)}}}(s)"
        own = told.get((each.input.name, str(each.output)), "")
        if own and len(own) <= WIDE:
            lines = rf"{name} &= {own} \\[1ex] &= {each.latex}"
            yield Equation(rf"\begin{{aligned}} {lines} \end{{aligned}}")
        else:
            yield Equation(f"{name} = {each.latex}")


def responses(each: Modes) -> Iterator[FrequencyResponse | str]:
    """The answer of all coordinates to each input, about the frequencies of the modes."""
    linear = each.linear
    frequencies = grid(each)
    outputs = list(linear.system.coordinates)[:6]
    if linear.system.shapes:
        return
    for u in dict.fromkeys(u.base for u in linear.inputs):
        try:
            yield frequency_response(linear, u, outputs, frequencies)
        except RouthError as error:
            yield str(error)


def grid(each: Modes) -> Array:
    """Frequencies from a tenth of the lowest to ten times the highest, evenly on a scale of powers."""
    sizes = np.abs(each.eigenvalues)
    sizes = sizes[np.isfinite(sizes) & (sizes > 1e-6 * np.nanmax(sizes, initial=0.0))]
    low, high = (float(sizes.min()), float(sizes.max())) if len(sizes) else (1.0, 1.0)
    return np.geomspace(low / 10, high * 10, FREQUENCIES)
