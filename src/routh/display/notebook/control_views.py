"""Regulators, observers, what is reached, and reduced models: gains, eigenvalues and matrices."""

from __future__ import annotations

from typing import Any

from routh.analysis.control.observer import Observer
from routh.analysis.control.observer_loop import ObserverLoop
from routh.analysis.control.reach import Reach
from routh.analysis.control.regulator import Regulator
from routh.analysis.control.regulator_along import RegulatorAlong
from routh.analysis.reduction.reduced_model import BalancedModel, ReducedModel
from routh.display.notebook import html_pieces as page
from routh.display.notebook.html_pieces import Cells, number
from routh.display.notebook.symbol_names import symbols
from routh.display.notebook.view_kinds import html_of


def _first(array: Any, axes: int = 2) -> Any:
    """The first of a batch."""
    return array[(0,) * (array.ndim - axes)]


def _of_the_first(batch: tuple[int, ...]) -> str:
    return page.said(f"A batch of shape {batch}; of its first point:") if batch else ""


def _eigenvalues(values: Any, title: str) -> str:
    rows = [[str(k + 1), number(s)] for k, s in enumerate(values.tolist())]
    return page.pairs(rows, ["", title], what="eigenvalues", rest="`eigenvalues`")


@html_of.register
def _(found: Reach) -> str:
    shares, values = _first(found.share, 1), _first(found.eigenvalues, 1)

    def row(k: int) -> Cells:
        return [str(k + 1), number(values[k]), number(shares[k], 3)]

    head = ["", "eigenvalues in 1/s", "share"]
    return page.whole(
        page.said(str(found)),
        _of_the_first(found.share.shape[:-1]),
        page.table(head, len(values), row, what="eigenvalues", rest="`share`"),
    )


@html_of.register
def _(found: Regulator) -> str:
    about = f"<i>u</i> = &minus;gain <i>x</i>, &nbsp; <i>u</i> is {symbols(found.inputs)}"
    return _of_gain(found, "Regulator", about, "eigenvalues of the closed loop in 1/s")


@html_of.register
def _(found: Observer) -> str:
    about = f"It is given {symbols(found.space.outputs)}."
    return _of_gain(found, "Observer", about, "eigenvalues of the error in 1/s")


def _of_gain(found: Regulator | Observer, title: str, about: str, values: str) -> str:
    return page.whole(
        page.heading(title),
        page.paragraph(about),
        _of_the_first(found.space.A.shape[:-2]),
        page.matrices({"gain": _first(found.gain)}),
        _eigenvalues(_first(found.eigenvalues, 1), values),
    )


@html_of.register
def _(found: ObserverLoop) -> str:
    pairs = [[symbols([q]), symbols([z])] for q, z in found.estimates.items()]
    closed = found.regulator is not None
    return page.whole(
        page.said(str(found)),
        page.pairs(pairs, ["", "estimate"], (0, 1), what="estimates", rest="`estimates`"),
        _eigenvalues(found.eigenvalues, "eigenvalues of the closed loop in 1/s") if closed else "",
    )


@html_of.register
def _(found: RegulatorAlong) -> str:
    batch = found.gain.shape[:-3]
    return page.whole(
        page.said(str(found)),
        page.paragraph(f"<i>u</i> is {symbols(found.inputs)}"),
        page.said(f"A batch of shape {batch}; of its first motion:") if batch else "",
        page.said(f"at t = {found.t[0]:g}:"),
        page.matrices({"gain": _first(found.gain, 3)[0]}),
        page.said(f"at t = {found.t[-1]:g}:"),
        page.matrices({"gain": _first(found.gain, 3)[-1]}),
    )


@html_of.register
def _(found: ReducedModel) -> str:
    kept = {name: getattr(found, name) for name in "MDGKHB"}
    return page.whole(
        page.said(str(found)),
        page.matrices({name: X for name, X in kept.items() if name in "MK" or X.any()}),
    )


@html_of.register
def _(found: BalancedModel) -> str:
    rows = [[str(k + 1), number(value)] for k, value in enumerate(found.hankel.tolist())]
    return page.whole(
        page.said(str(found)),
        page.matrices(dict(zip("ABCD", found.reduced, strict=True))),
        page.pairs(rows, ["", "Hankel values"], what="Hankel values", rest="`hankel`"),
    )
