"""Linear models: their matrices in numbers, and what they answer to harmonic inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from routh.analysis.linear.along import LinearAlong
from routh.analysis.linear.canonical import CanonicalModel
from routh.analysis.linear.descriptor import Descriptor
from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.response import FrequencyResponse
from routh.analysis.linear.state_space import StateSpace
from routh.analysis.stability.frequencies_around import formal
from routh.analysis.stability.judge import stability
from routh.display.notebook import html_pieces as page
from routh.display.notebook.html_pieces import Cells, number
from routh.display.notebook.rest_views import given
from routh.display.notebook.symbol_names import symbol, symbols
from routh.display.notebook.thumbnails import thumbnail
from routh.display.notebook.view_kinds import html_of

ETA = "<i>&eta;</i>"
FORM = f"<i>M</i> {ETA}&Prime; + (<i>D</i> + <i>G</i>) {ETA}&prime; + (<i>K</i> + <i>H</i>) {ETA}"


def _first(array: Any, axes: int = 2) -> Any:
    """The first matrix of a batch."""
    return array[(0,) * (array.ndim - axes)] if isinstance(array, np.ndarray) else array


def _kept(found: Any, names: str, always: str) -> dict[str, Any]:
    """The matrices that are not zero, at the first point of a batch."""
    every = {name: getattr(found, name) for name in names}
    return {name: _first(m) for name, m in every.items() if name in always or _any(m)}


def _any(matrix: Any) -> bool:
    return bool(np.any(matrix)) if isinstance(matrix, np.ndarray) else bool(matrix.nnz)


def _columns(inputs: Any) -> str:
    return page.paragraph(f"<i>u</i> is {symbols(inputs)}") if inputs else ""


@html_of.register
def _(linear: LinearModel) -> str:
    forced = f"{FORM} = <i>B</i> <i>u</i>" if linear.inputs else f"{FORM} = 0"
    if not linear.is_holonomic:
        forced = forced.replace(" = ", " + <i>R</i><sup>T</sup> &mu; = ")
        driven = " + <i>S</i> <i>u</i>" if linear.inputs else ""
        forced += f", &nbsp; <i>R</i> {ETA}&prime; + <i>W</i> {ETA}{driven} = 0"
    frozen = f", frozen at t = {linear.time:g}" if linear.time is not None else ""
    unit = _is_unit(linear)
    carried = " + <i>Y</i> <i>u</i>" if _any(linear.Y) else ""
    eta = f"are admissible motions: the coordinates move by <i>Z</i> {ETA}{carried}"
    if unit:
        eta = f"is the deviation of {symbols(linear.coordinates)}"
    return page.whole(
        page.heading(f"Linear model of {linear.system.title}{frozen}"),
        page.paragraph(forced),
        page.paragraph(f"{ETA} {eta}"),
        _columns(linear.inputs),
        _of_the_first(linear.shape),
        page.matrices(_kept(linear, "MDGKHBRWSY" if unit else "MDGKHBRWSZY", "MK" if unit else "MKZ")),
        _sparse(linear),
        given(linear.reference.conditions) if not linear.shape else "",
    )


def _is_unit(linear: LinearModel) -> bool:
    """Whether eta are the coordinates themselves."""
    if not isinstance(linear.Z, np.ndarray):
        return False
    rows, columns = linear.Z.shape[-2:]
    return rows == columns and bool(np.all(np.eye(rows) == linear.Z))


def _of_the_first(shape: tuple[int, ...]) -> str:
    """What is said of a batch."""
    if not shape:
        return ""
    return page.said(f"A batch of shape {shape}; the matrices of its first point:")


def _sparse(linear: LinearModel) -> str:
    if not linear.is_sparse:
        return ""
    filled = ", ".join(f"{name} {getattr(linear, name).nnz}" for name in "MK")
    return page.said(f"Sparse matrices; entries that are stored: {filled}.", muted=True)


@html_of.register
def _(linear: LinearAlong) -> str:
    names = symbols(linear.independent)
    batch = linear.M.shape[:-3]
    first = f"A batch of shape {batch}; of its first motion, " if batch else ""
    return page.whole(
        page.said(str(linear)),
        page.paragraph(f"{FORM} = {'<i>B</i> <i>u</i>' if linear.inputs else '0'}"),
        page.paragraph(f"{ETA} is the deviation of {names}"),
        _columns(linear.inputs),
        page.said(f"{first}at t = {linear.t[0]:g}:"),
        page.matrices(_kept(linear, "MDGKHB", "MK")),
        page.said(f"at t = {linear.t[-1]:g}:") if len(linear.t) > 1 else "",
        page.matrices(_at_the_end(linear)) if len(linear.t) > 1 else "",
    )


def _at_the_end(linear: LinearAlong) -> dict[str, Any]:
    shown = _kept(linear, "MDGKHB", "MK")
    return {name: _first(getattr(linear, name), 3)[-1] for name in shown}


@html_of.register
def _(model: CanonicalModel) -> str:
    states = symbols([*model.system.coordinates, *model.momenta])
    kind = "No force is left outside of H." if model.is_hamiltonian else "Forces act outside of H."
    s = _first(model.eigenvalues, 1)
    rows = [[str(k + 1), number(each)] for k, each in enumerate(s.tolist())]
    return page.whole(
        page.heading(f"Linear model of Hamilton's equations of {model.system.title}"),
        page.paragraph("<i>x</i>&prime; = <i>A</i> <i>x</i>"),
        page.paragraph(f"<i>x</i> is the deviation of {states}"),
        page.said(kind),
        _of_the_first(model.A.shape[:-2]),
        page.matrices({"A": _first(model.A)}),
        page.pairs(rows, ["", "eigenvalues in 1/s"], what="eigenvalues", rest="`eigenvalues`"),
    )


@html_of.register
def _(full: Descriptor) -> str:
    x = "<i>x</i>"
    form = f"<i>M</i> {x}&Prime; + <i>C</i> {x}&prime; + <i>K</i> {x}"
    return page.whole(
        page.heading("Linear model in all coordinates and multipliers"),
        page.paragraph(f"{form} = {'<i>B</i> <i>u</i>' if full.inputs else '0'}"),
        _columns(full.inputs),
        _of_the_first(full.M.shape[:-2]),
        page.matrices(_kept(full, "MCKB", "MK")),
    )


@html_of.register
def _(model: StateSpace) -> str:
    form = "<i>x</i>&prime; = <i>A</i> <i>x</i> + <i>B</i> <i>u</i>, &nbsp; "
    form += "<i>y</i> = <i>C</i> <i>x</i> + <i>D</i> <i>u</i>"
    return page.whole(
        page.heading(f"State space of {model.A.shape[-1]} states"),
        page.paragraph(form),
        _columns(model.inputs),
        page.paragraph(f"<i>y</i> is {symbols(model.outputs)}") if model.outputs else "",
        _of_the_first(model.A.shape[:-2]),
        page.matrices({name: _first(m) for name, m in zip("ABCD", model, strict=True)}),
    )


@html_of.register
def _(found: FrequencyResponse) -> str:
    return page.whole(
        page.heading(f"Frequency response of {found.linear.system.title}"),
        page.paragraph(f"{symbols(found.outputs)} by {symbol(found.input)}"),
        page.said(found.remark),
        page.said("" if found.linear.shape else formal(stability(found.linear))),
        _of_the_first(found.transfer.shape[:-2]).replace("matrices", "answers"),
        thumbnail(found, "magnitude and phase over the frequency"),
        _answers(found),
    )


def _answers(found: FrequencyResponse) -> str:
    size, phase = (_first(part) for part in (found.magnitude, found.phase))
    shown = found.outputs[: page.COLUMNS // 2]

    def row(k: int) -> Cells:
        both = (x for j in range(len(shown)) for x in (size[k, j], np.degrees(phase[k, j])))
        return [number(found.frequencies[k]), *map(number, both)]

    head = ["rad/s", *(cell for y in shown for cell in (f"|{symbol(y)}|", "phase in &deg;"))]
    inside = page.table(head, len(found.frequencies), row, what="frequencies", rest="`transfer`")
    return page.folded(f"the {len(found.frequencies)} frequencies", inside)
