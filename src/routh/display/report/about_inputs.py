"""What a report says about inputs: state space, transfer functions and the frequency response."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.outputs import plain_outputs
from routh.analysis.linear.response import FrequencyResponse, frequency_response
from routh.analysis.linear.state_space import StateSpace, state_space
from routh.analysis.stability.frequencies_around import formal, frequencies_around, frequency_range
from routh.analysis.stability.natural_modes import Modes
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

ANSWERS = 6
"""Outputs in one picture."""


def inputs_part(
    each: Modes,
    number: int,
    symbolic: LinearEquations | None,
    shown: Sequence[Any],
    pictures: Pictures,
) -> Iterator[Item]:
    """A, B, C, D, transfer functions and Bode plots about one equilibrium; nothing without inputs.

    `shown` are the expressions that a model shows of its motion; of fields they are what answers.
    """
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
    for found in responses(each, shown):
        if isinstance(found, str):
            yield Words(found, aside=True)
            continue
        yield from pictures.response(found, number)
        remarks = [found.remark, formal(each.stability), _discretized(each)]
        if any(remarks):
            yield Words(" ".join(filter(None, remarks)), aside=True)


def _discretized(each: Modes) -> str:
    """Of what model the answers of a body with fields are."""
    if each.converged is None:
        return ""
    sure = int(each.converged.sum())
    return (
        f"The answers are those of the discretized model, up to the highest of its {sure} converged"
        " frequencies."
    )


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
            lines = rf"{name} &= {own} \\ &= {each.latex}"
            yield Equation(rf"\begin{{aligned}} {lines} \end{{aligned}}")
        else:
            yield Equation(f"{name} = {each.latex}")


def responses(each: Modes, shown: Sequence[Any]) -> Iterator[FrequencyResponse | str]:
    """The answers to each input about the frequencies of the modes, or why there are none.

    Of a body with fields from the discretized model, up to the highest frequency that is converged.
    """
    linear = each.linear
    around = frequency_range(each)
    if around is None:
        yield (
            "No frequency response: no mode of the fields is converged. Give them more `functions` or"
            " `elements`."
        )
        return
    frequencies = frequencies_around(each, *around, FREQUENCIES)
    asked = list(shown) if linear.system.shapes else []
    outputs = (asked or plain_outputs(linear.system))[:ANSWERS]
    for u in dict.fromkeys(u.base for u in linear.inputs):
        try:
            yield frequency_response(linear, u, outputs, frequencies)
        except RouthError as error:
            yield str(error)
