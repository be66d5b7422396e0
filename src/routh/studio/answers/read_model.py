"""The ask `read`: what a model is, as one types it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import sympy

from routh.display.report.written_energies import definitions, named_in_file, written
from routh.files.model import Model
from routh.files.units import dimension_warnings
from routh.language.symbols import Parameter
from routh.language.walk import unfold
from routh.mechanics.forms.printing import latex
from routh.mechanics.turns import turns
from routh.studio.bench import Bench
from routh.studio.plain import plain

ANGLES = ("rad", "deg", "1", "")
"""Units of angles."""

LETTERS = {"T": "kinetic", "V": "potential", "L": "lagrangian", "D": "dissipation"}
"""Energies by their letters."""

BELOW, ABOVE = 0.2, 3.0
"""Where the slider of a parameter without a range begins and ends, as shares of its value."""

LONG = 6000
"""Signs of LaTeX beyond which a formula is not echoed while one types."""


def read_model(bench: Bench, about: Mapping[str, Any]) -> dict[str, Any]:
    """`read` {text}: everything the page must know of a model before it asks more.

    Returns:
        name, description, remarks: as the file says; remarks are of other formats.
        coordinates: [{name, latex, unit, start, rate, guess, low, high, angle, made}], where `angle`
            says that the equations repeat after whole turns, low and high is the range of the file,
            -pi to pi for angles, and one about start and guess otherwise; `made` are those that
            rotations and tethers bring along.
        parameters: [{name, latex, unit, value | null, low, high, ranged, sign: "positive" |
            "nonnegative" | ""}].
        inputs: [{name, latex, unit, value, law: text | null}].
        fields: [{name, latex, unit, space, kind: "functions" | "elements", count}].
        energies: [{what: "T" | "V" | "L" | "D" | "with" | "constraint" | "force" | "contact", latex}]
            as they are written, what their names stand for ("with") behind them.
        units: sentences on dimensions that do not fit. lacking: parameters without a value.
        drawn: 0 | 2 | 3. friction, periodic, steady: bool. counted: words.
        motion: {until, outputs, shown: [texts]}. sweep: null | {parameter, from, to}.
    """
    model = bench.model(about.get("text", ""))
    system = model.system
    sizes = {r.rows for r in model.drawing.every}
    swept = model.analysis.sweep
    answer = plain(
        {
            "name": model.name,
            "description": model.description,
            "remarks": model.remarks,
            "coordinates": [_coordinate(model, k) for k in range(len(system.coordinates))],
            "parameters": [_parameter(model, p) for p in in_file_order(model)],
            "inputs": [_input(model, u) for u in model.inputs],
            "fields": [_field(model, w) for w in system.fields],
            "energies": list(_energies(model)),
            "units": dimension_warnings(system, model.units),
            "lacking": [p.name for p in system.parameters if p.name not in model.values],
            "drawn": max(sizes, default=0),
            "friction": bool(system.friction),
            "periodic": model.analysis.period is not None,
            "steady": bool(model.analysis.speeds),
            "counted": _counted(model),
            "motion": {
                "until": model.analysis.motion.until,
                "outputs": model.analysis.motion.outputs,
                "shown": model.analysis.motion.shown,
            },
            "sweep": None
            if swept is None
            else {"parameter": swept.parameter, "from": swept.start, "to": swept.end},
        }
    )
    return dict(answer)


def _coordinate(model: Model, k: int) -> dict[str, Any]:
    q = model.system.coordinates[k]
    start, guess = float(model.start.get(q, 0.0)), float(model.guess.get(q, 0.0))
    angle = is_angle(model, k)
    low, high = coordinate_range(model, k)
    return {
        "name": q.name,
        "latex": latex(q),
        "unit": model.units.get(q.name, ""),
        "start": start,
        "rate": float(model.start.get(q.rate, 0.0)),
        "guess": guess,
        "low": low,
        "high": high,
        "angle": angle,
        "made": q in model.made,
    }


def is_angle(model: Model, k: int) -> bool:
    """Whether the equations repeat after whole turns of a coordinate that has the unit of an angle.

    What no energy contains, like the place of a cart, repeats after anything.
    """
    q = model.system.coordinates[k]
    if model.units.get(q.name, "rad") not in ANGLES:
        return False
    return turns(model.system)[k] is not None or bool(model.periodic.get(q, False))


def coordinate_range(model: Model, k: int) -> tuple[float, float]:
    """The range of the file, a turn for angles, or one about start and guess."""
    q = model.system.coordinates[k]
    if q in model.within:
        return model.within[q]
    if is_angle(model, k):
        return -math.pi, math.pi
    start, guess = float(model.start.get(q, 0.0)), float(model.guess.get(q, 0.0))
    return _about(min(start, guess), max(start, guess))


def _about(low: float, high: float) -> tuple[float, float]:
    """A range that holds two positions and leaves room about them."""
    room = max(1.0, high - low, abs(low), abs(high))
    return low - room, high + room


def in_file_order(model: Model) -> list[Parameter]:
    """The parameters of the system, as the file lists them."""
    order = {name: k for k, name in enumerate(model.names)}
    return sorted(model.system.parameters, key=lambda p: order.get(p.name, len(order)))


def _parameter(model: Model, p: Parameter) -> dict[str, Any]:
    value = model.values.get(p.name)
    low, high = model.ranges.get(p.name) or slider_range(p, value)
    return {
        "name": p.name,
        "latex": latex(p),
        "unit": model.units.get(p.name, ""),
        "value": value,
        "low": low,
        "high": high,
        "ranged": p.name in model.ranges,
        "sign": "positive" if p.is_positive else "nonnegative" if p.is_nonnegative else "",
    }


def slider_range(p: Parameter, value: float | None) -> tuple[float, float]:
    """A range for a parameter that has none: about its value, on its side of zero."""
    if not value:
        low = 0.0 if p.is_nonnegative else -1.0
        return (0.1, 10.0) if p.is_positive else (low, 1.0)
    near, far = _two_digits(BELOW * value), _two_digits(ABOVE * value)
    if p.is_nonnegative and not p.is_positive:
        near = 0.0
    return min(near, far), max(near, far)


def _two_digits(x: float) -> float:
    return float(f"{x:.2g}")


def _input(model: Model, u: Any) -> dict[str, Any]:
    law = model.laws[u]
    return {
        "name": u.name,
        "latex": latex(u),
        "unit": model.units.get(u.name, ""),
        "value": model.inputs[u],
        "law": str(law) if isinstance(law, sympy.Basic) else None,
    }


def _field(model: Model, w: Any) -> dict[str, Any]:
    kind, count = model.sizes[w]
    return {
        "name": w.name,
        "latex": latex(w),
        "unit": model.units.get(w.name, ""),
        "space": str(w.space),
        "kind": kind,
        "count": count,
    }


def _counted(model: Model) -> str:
    counts = {
        "coordinate": model.system.coordinates,
        "field": model.system.fields,
        "parameter": model.system.parameters,
        "input": model.inputs,
        "constraint": model.system.constraints,
        "contact": model.system.friction,
    }
    told = [f"{len(own)} {what}{'s' * (len(own) != 1)}" for what, own in counts.items() if own]
    return ", ".join(told)


def _energies(model: Model) -> Iterator[dict[str, str]]:
    """Energies, what their names stand for, constraints, forces and contacts as formulas."""
    system = model.system
    terms = {letter: system.as_written[part] for letter, part in LETTERS.items()}
    own = {letter: sympy.Add(*each) for letter, each in terms.items() if each}
    names = named_in_file(model)
    shown = written(names, list(own.values()))
    for letter, energy in own.items():
        yield _formula(letter, f"{letter} = ", shown(energy))
    for told in definitions(names, shown, list(own.values())):
        if len(told.latex) <= LONG:
            yield {"what": "with", "latex": told.latex}
    for phi in system.constraints:
        yield _formula("constraint", "0 = ", unfold(phi))
    for force in system.forces:
        at = latex(force.at) if len(force.at) > 1 else latex(force.at[0])
        acting = force.components if len(force.components) > 1 else force.components[0]
        yield _formula("force", "", acting, rf" \;\text{{ at }}\; {at}")
    for contact in system.friction:
        yield _formula("contact", "", contact.slip, r" \;\text{ slips}")


def _formula(what: str, head: str, e: Any, tail: str = "") -> dict[str, str]:
    """A formula, or that it is too long to be echoed."""
    written_out = head + latex(e) + tail
    return {
        "what": what,
        "latex": written_out if len(written_out) <= LONG else rf"{head}\text{{(long)}}{tail}",
    }
