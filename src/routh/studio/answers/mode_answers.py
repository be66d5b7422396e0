"""The ask `modes`: a table, moving shapes, what parameters do to them, and the matrices behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from routh.analysis.given.bodies import field_along
from routh.analysis.stability.natural_modes import Modes
from routh.display.pictures.animation_page import played
from routh.display.pictures.films import mode_film, mode_moments
from routh.display.pictures.mechanism import Parts
from routh.display.report.findings import Findings
from routh.errors import DerivationError, RouthError
from routh.mechanics.forms.printing import latex
from routh.studio.answers.request import findings, position, table
from routh.studio.answers.standing import Standing, eigenvalues, judged, mode_rows, place_of, stand
from routh.studio.bench import Bench
from routh.studio.plain import plain

SHAPES = 8
"""Modes whose shapes are drawn."""

LARGE = 30
"""Rows up to which matrices are given."""

MORE = 4
"""Functions by which fields are refined to see how far frequencies move."""

MATRICES = {
    "M": "mass",
    "D": "damping",
    "G": "gyroscopic",
    "K": "stiffness",
    "H": "circulatory",
    "B": "inputs",
}
"""Matrices of M q'' + (D + G) q' + (K + H) q = B u, by their letters."""


def modes(bench: Bench, about: Mapping[str, Any]) -> dict[str, Any]:
    """`modes` {text, values, q?, moving?, sensitivity?, errors?}: the modes about the rest near q.

    Returns:
        q, rates, place, eigenvalues, modes, verdict, reason, region: as `live`; `converged` is true or
            false for fields.
        shapes: [{mode, participation: [{name, latex, unit, amplitude, phase}], frames: null | tracks as
            in `motion`, over one period, along: [{name, space, s, re, im}] of fields}], at most eight.
        sensitivity: null | {parameters: [names], frequencies: [[by parameter] of each mode], real: the
            same of growth Re s, critical: mode, strongest: [names], remark}, or {refused: sentence}.
        field_errors: null | [{mode, frequency, refined, change}] with four more functions.
        matrices: {letter: {name, rows}} of what is not zero; {} where they are large. coordinates: the
            names of their rows.
    """
    found = findings(bench, about)
    here = stand(found, position(found, about.get("q")))
    if here.modes is None:
        raise DerivationError(
            "The linear model changes with the drive along its period, and has no modes. Multipliers of"
            " Floquet judge it: see the equilibrium."
        )
    answer = place_of(found, here.rest) | judged(here)
    answer["kind"] = "modes"
    answer["eigenvalues"] = eigenvalues(here)
    answer["modes"] = mode_rows(here.modes, converged=True)
    answer["shapes"] = _shapes(found, here.modes, moving=bool(about.get("moving", True)))
    answer["sensitivity"] = _sensitivity(here.modes) if about.get("sensitivity") else None
    answer["field_errors"] = _field_errors(bench, about, found, here)
    answer["matrices"] = _matrices(here.modes)
    answer["coordinates"] = [q.name for q in here.modes.linear.coordinates]
    return dict(plain(answer))


def _shapes(found: Findings, each: Modes, *, moving: bool) -> list[dict[str, Any]]:
    return [
        {
            "mode": k,
            "participation": _participation(found.model.units, each, k),
            "frames": _frames(found, each, k) if moving else None,
            "along": _along(each, k),
        }
        for k in range(min(SHAPES, len(each.frequencies)))
    ]


def _participation(units: Mapping[str, str], each: Modes, k: int) -> list[dict[str, Any]]:
    """How far and with what phase each coordinate moves, in its unit."""
    shape = each.eigenvectors[:, 2 * k]
    return [
        {"name": q.name, "latex": latex(q), "unit": units.get(q.name, "")}
        | {"amplitude": abs(x), "phase": float(np.angle(x))}
        for q, x in zip(each.linear.coordinates, shape, strict=True)
    ]


def _frames(found: Findings, each: Modes, k: int) -> dict[str, Any] | None:
    """The drawing over one period, or None where there is none."""
    if found.model.drawing.is_empty:
        return None
    parts = Parts.of(found.model.drawing)
    try:
        return played(mode_film(each, k, parts, mode_moments(each, k, parts)))
    except RouthError:  # a place that is not finite
        return None


def _along(each: Modes, k: int) -> list[dict[str, Any]]:
    """The shapes of fields along their bodies."""
    rest = each.linear.reference
    told = []
    for w in dict.fromkeys(shape.field for shape in rest.system.shapes):
        _, places, _ = field_along(rest.system, w, rest.point())
        shape = np.asarray(each.field(w, k, places[0]), dtype=complex)
        told.append({"name": w.name, "latex": latex(w), "space": str(w.space), "s": places[0]}
                    | {"re": shape.real, "im": shape.imag})  # fmt: skip
    return told


def _sensitivity(each: Modes) -> dict[str, Any]:
    if not each.linear.system.parameters:
        return {"refused": "The model has no parameters."}
    try:
        found = each.sensitivity()
    except RouthError as error:
        return {"refused": str(error)}
    strongest = [] if found.critical < 0 else [str(found.parameters[k]) for k in found.strongest()]
    return {
        "parameters": [str(p) for p in found.parameters],
        "frequencies": found.frequencies,
        "real": np.real(found.eigenvalues)[::2],
        "critical": found.critical,
        "strongest": strongest,
        "remark": found.remark,
    }


def _field_errors(
    bench: Bench, about: Mapping[str, Any], found: Findings, here: Standing
) -> list[dict[str, Any]] | None:
    """How far each frequency moves as fields get more functions."""
    model = found.model
    if not model.system.fields or not about.get("errors", True) or here.modes is None:
        return None
    sizes = {w.name: n + MORE for w, (_, n) in model.sizes.items()}
    try:
        finer = bench.findings(about["text"], table(about, "values"), sizes)
        plain_q = {q: x for q, x in zip(here.rest.system.coordinates, here.rest.q, strict=True)
                   if q in model.system.coordinates}  # fmt: skip
        again = stand(finer, plain_q).modes
    except RouthError:
        return None
    if again is None:
        return None
    pairs = zip(here.modes.frequencies[:SHAPES], again.frequencies, strict=False)
    return [
        {
            "mode": k,
            "frequency": float(w),
            "refined": float(new),
            "change": abs(new - w) / new if new > 0 else None,
        }
        for k, (w, new) in enumerate(pairs)
    ]


def _matrices(each: Modes) -> dict[str, Any]:
    linear = each.linear
    if linear.is_sparse or linear.M.shape[-1] > LARGE:
        return {}
    every = {letter: (name, getattr(linear, letter)) for letter, name in MATRICES.items()}
    return {
        letter: {"name": name, "rows": rows} for letter, (name, rows) in every.items() if np.any(rows)
    }
