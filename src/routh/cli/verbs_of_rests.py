"""Verbs about equilibria: where they are, the linear model there, its modes and its answers."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

import routh as rt
from routh.cli import outcome
from routh.cli.app import As, ModelFile, Read, Saved, Values, Written, app
from routh.cli.checked import checked_frequencies, chosen_input, findings, outputs_of
from routh.cli.keeping_results import refuse_unsavable, saved
from routh.cli.output import Formulas, Output, emit, working
from routh.cli.readable import WIDE, matrix_lines, pair, place_rows, seen, thinned


@app.command
def equilibria(model: ModelFile, *, p: Values = None, output: As = Output()) -> None:  # noqa: B008
    """Every equilibrium, with its verdict and the reason.

    Example: routh equilibria swing.toml --p.g 1.62
    """
    from routh.display.report.findings import reason

    read = rt.load(model)
    found = findings(read, p)
    with working("Looking for equilibria"):
        rests = found.rests
    rows: list[dict[str, Any]] = []
    for k, rest in enumerate([] if isinstance(rests, str) else rests):
        place = dict(zip(map(str, rest.system.coordinates), map(float, rest.q), strict=True))
        verdict = found.verdicts[k]
        if isinstance(verdict, str):
            said = {"verdict": "unknown", "why": verdict}
        else:
            said = {"verdict": str(verdict.verdict), "why": reason(verdict)}
        rates = {str(rest.system.velocities[i]): float(rest.v[i]) for i in rest.turning}
        rows.append(place | rates | {"family": found.family(k)} | said)
    shown, lines = _shown_rests(found, rows)
    lines += [found.completeness] if rows else []
    ended = outcome.of_equilibria(found)
    emit({"equilibria": rows}, output, lines, rows=rows, shown=shown, outcome=ended)


def _shown_rests(found: Any, rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Equilibria for people: one to a row, or one to a column with the verdicts below."""
    places = [place_rows(found, rest) for rest in (found.rests if rows else ())]
    names = {str(q) for rest in (found.rests if rows else ()) for q in rest.system.coordinates}
    families = any(row["family"] for row in rows)
    others = [
        {n: x for n, x in row.items() if n not in names and (families or n != "family")} for row in rows
    ]
    if not rows or len(places[0]) <= WIDE:
        return [place | other for place, other in zip(places, others, strict=True)], []
    columns = [
        {"coordinate": name} | {f"equilibrium {k + 1}": place[name] for k, place in enumerate(places)}
        for name in places[0]
    ]
    verdicts = [f"Equilibrium {k + 1} is {x['verdict']}. {x['why']}" for k, x in enumerate(others)]
    return columns, verdicts


@app.command
def linearize(
    model: ModelFile,
    *,
    p: Values = None,
    save: Saved = None,
    output: Written = Formulas(),  # noqa: B008
) -> None:
    """The linear model about the equilibrium near the guess.

    Example: routh linearize swing.toml --save swing.mat
    """
    refuse_unsavable(save)
    read = rt.load(model)
    linear = rt.linearize(findings(read, p).rest())
    saved(linear, save)
    data: dict[str, Any] = {name: _dense(linear, name).tolist() for name in "MDGKHB"}
    data["coordinates"] = [str(q) for q in linear.coordinates]
    data["inputs"] = [str(u) for u in linear.inputs]
    ended = outcome.of_status(linear.reference.status)
    emit(data, output, _linear_lines(linear), latex=lambda: _matrices(linear), outcome=ended)


def _linear_lines(linear: Any) -> list[str]:
    """The linear model with the names of its coordinates and inputs, and matrices that are not zero."""
    lines = str(linear).splitlines()[:1]
    if linear.is_sparse:
        return lines
    lines += _deviations(linear)
    if linear.inputs:
        lines.append(f"u = {_listed(linear.inputs)}")
    for name in "MDGKHBRWS":
        matrix = getattr(linear, name)
        if name in "MK" or matrix.any():
            lines += matrix_lines(name, matrix)
    return lines


def _deviations(linear: Any) -> list[str]:
    """What eta are: the coordinates, or what moves them by Z eta where constraints hold them."""
    if not linear.system.constraints:
        return [f"eta = {_listed(linear.coordinates)}"]
    carried = linear.Y.any()
    lines = [f"{_listed(linear.coordinates)} moves by Z eta{' + Y u' if carried else ''}"]
    lines += matrix_lines("Z", linear.Z)
    return [*lines, *matrix_lines("Y", linear.Y)] if carried else lines


def _listed(symbols: Any) -> str:
    return f"({', '.join(map(str, symbols))})"


def _dense(linear: Any, name: str) -> Any:
    """A matrix with all its entries."""
    own = getattr(linear, name)
    return own.toarray() if linear.is_sparse and name != "B" else own


def _matrices(linear: Any) -> str:
    """The matrices that are not zero, one formula each."""
    from routh.display.report.formulas import matrix

    each = {name: _dense(linear, name) for name in "MDGKHB"}
    return "\n".join(f"{name} = {matrix(own)}" for name, own in each.items() if own.any())


@app.command
def modes(
    model: ModelFile,
    *,
    p: Values = None,
    count: Annotated[int | None, Parameter(help="How many, the slowest")] = None,
    sensitivity: Annotated[
        bool, Parameter(negative=(), help="What changes the critical mode most")
    ] = False,
    save: Saved = None,
    output: As = Output(),  # noqa: B008
) -> None:
    """Natural frequencies and damping about the equilibrium near the guess.

    With --sensitivity it tells what changes the critical mode most, and JSON and CSV have derivatives
    of every frequency and damping ratio by the parameters.

    Example: routh modes beam.toml --count 4 --sensitivity
    """
    refuse_unsavable(save)
    read = rt.load(model)
    with working("Computing modes"):
        found = rt.modes(rt.linearize(findings(read, p).rest()), count=count)
    changed = found.sensitivity() if sensitivity else None
    saved(found, save)
    rows: list[dict[str, Any]] = [
        {
            "mode": k + 1,
            "frequency": float(found.frequencies[k]),
            "damping": _number(found.damping[k]),
            "real": float(found.eigenvalues[2 * k].real),
            "imaginary": float(found.eigenvalues[2 * k].imag),
            "second real": float(found.pair(k)[-1].real) if len(found.pair(k)) > 1 else None,
        }
        | ({} if found.converged is None else {"converged": bool(found.converged[k])})
        | ({} if changed is None else _derivatives(changed, k))
        for k in range(len(found.frequencies))
    ]
    shown = [
        {
            "mode": row["mode"],
            "frequency": row["frequency"],
            "damping": seen(row["damping"]),
            "eigenvalues": pair(found.pair(k)),
        }
        | ({} if found.converged is None else {"converged": row["converged"]})
        for k, row in enumerate(rows)
    ]
    names = [str(q) for q in found.linear.coordinates]
    shapes = [
        {"shape": {q: [float(x.real), float(x.imag)] for q, x in zip(names, column, strict=True)}}
        for column in (found.shapes.T if output.json else [])
    ]
    verdict = found.stability
    data: dict[str, Any] = {
        "modes": [row | shape for row, shape in zip(rows, shapes, strict=False)],
        "verdict": str(verdict.verdict),
        "why": str(verdict).partition(". ")[2],
    }
    lines = [str(verdict)]
    if changed is not None:
        data["sensitivity"] = _influences(changed)
        lines += str(changed).splitlines()[1:]
    emit(data, output, lines, rows=rows, shown=shown, outcome=outcome.of_modes(found))


def _derivatives(changed: Any, k: int) -> dict[str, Any]:
    """The derivatives of the frequency and the damping ratio of mode k, by name."""
    named = list(enumerate(map(str, changed.parameters)))
    frequencies = {f"frequency by {p}": _number(changed.frequencies[k, j]) for j, p in named}
    return frequencies | {f"damping by {p}": _number(changed.damping[k, j]) for j, p in named}


def _influences(changed: Any) -> dict[str, Any]:
    """What changes the critical mode, the strongest first."""
    if changed.critical < 0:
        return {"mode": None, "parameters": [], "remark": changed.remark}
    relative, rates = changed.influences()
    ranked = [
        {
            "parameter": str(changed.parameters[j]),
            "relative": _number(abs(relative[j])),
            "real": _number(rates[j].real),
            "imaginary": _number(rates[j].imag),
        }
        for j in changed.strongest()
    ]
    return {"mode": changed.critical + 1, "parameters": ranked, "remark": changed.remark}


@app.command
def state_space(
    model: ModelFile,
    *,
    of: Read = None,
    p: Values = None,
    save: Saved = None,
    output: Written = Formulas(),  # noqa: B008
) -> None:
    """The matrices A, B, C, D of x' = A x + B u, y = C x + D u about the equilibrium near the guess.

    Example: routh state-space crane.toml --of X --of theta
    """
    refuse_unsavable(save)
    read = rt.load(model)
    linear = rt.linearize(findings(read, p).rest())
    found = rt.state_space(linear, outputs_of(read, of))
    saved(found, save)
    data: dict[str, Any] = {name: getattr(found, name).tolist() for name in "ABCD"}
    data["states"] = list(found.states)
    data["inputs"] = [str(u) for u in found.inputs]
    data["outputs"] = [str(y) for y in found.outputs]
    ended = outcome.of_status(linear.reference.status)
    lines = [f"State space of {linear.system.title}: x' = A x + B u, y = C x + D u"]
    for letter, names in (("x", "states"), ("u", "inputs"), ("y", "outputs")):
        if data[names]:
            lines.append(f"{letter} = {_listed(data[names])}")
    lines += _deviations(linear) if linear.system.constraints else []
    lines += [line for name in "ABCD" for line in matrix_lines(name, getattr(found, name))]
    emit(data, output, lines, latex=lambda: _formulas(found, "ABCD"), outcome=ended)


def _formulas(found: Any, names: str) -> str:
    from routh.display.report.formulas import matrix

    each = {name: getattr(found, name) for name in names}
    return "\n".join(f"{name} = {matrix(own)}" for name, own in each.items() if own.size)


Moved = Annotated[str | None, Parameter(help="The input that moves; the only one if not given")]


@app.command
def response(
    model: ModelFile,
    input: Moved = None,  # noqa: A002
    *,
    of: Read = None,
    start: Annotated[float | None, Parameter(name="--from", help="The lowest frequency, rad/s")] = None,
    to: Annotated[float | None, Parameter(help="The highest frequency, rad/s")] = None,
    points: Annotated[int, Parameter(help="How many frequencies")] = 201,
    p: Values = None,
    save: Saved = None,
    output: As = Output(),  # noqa: B008
) -> None:
    """The answers to a harmonic input: sizes and phases over frequencies in rad/s.

    Frequencies are spaced by equal factors. If not given they go from a tenth of the lowest mode to ten
    times the highest, of a body with fields to just below the highest that is converged, and stand
    beside undamped resonances instead of on them. Sizes are per unit of the input, phases in rad.

    Example: routh response quarter_car.toml z --of x_b --from 1 --to 100 --csv
    """
    from routh.analysis.linear.outputs import plain_outputs
    from routh.analysis.stability.frequencies_around import formal

    refuse_unsavable(save)
    read = rt.load(model)
    linear = rt.linearize(findings(read, p).rest())
    signal = chosen_input(read, input)
    frequencies = checked_frequencies(lambda: rt.modes(linear), start, to, points)
    with working("Computing the answers"):
        outputs = outputs_of(read, of) or plain_outputs(linear.system)
        found = rt.frequency_response(linear, signal, outputs, frequencies)
    saved(found, save)
    names = [str(y) for y in found.outputs]
    phases = np.where(np.isfinite(found.magnitude), found.phase, np.nan)
    few = [
        {"frequency": float(w)}
        | {name: float(found.magnitude[k, j]) for j, name in enumerate(names)}
        | {f"phase {name}": float(phases[k, j]) for j, name in enumerate(names)}
        for k, w in enumerate(found.frequencies)
    ]
    rows: list[dict[str, Any]] = [
        row
        | {f"real {name}": float(found.transfer[k, j].real) for j, name in enumerate(names)}
        | {f"imaginary {name}": float(found.transfer[k, j].imag) for j, name in enumerate(names)}
        for k, row in enumerate(few)
    ]
    verdict = rt.stability(linear)
    remark = " ".join(part for part in (found.remark, formal(verdict)) if part)
    data = {
        "input": str(found.input),
        "outputs": names,
        "remark": remark,
        "verdict": str(verdict.verdict),
        "response": rows,
    }
    lines = [*_largest(found, names), str(found), *filter(None, [formal(verdict)])]
    ended = outcome.of_status(linear.reference.status)
    emit(data, output, lines, rows=rows, shown=thinned(few), outcome=ended)


def _largest(found: Any, names: list[str]) -> list[str]:
    """Where each output answers most, among the frequencies that were asked for."""
    lines = []
    for j, name in enumerate(names):
        size = found.magnitude[:, j]
        known = ~np.isnan(size)
        if not known.any() or not size[known].any():
            continue
        k = int(np.nanargmax(size))
        much = f"{size[k]:.6g} per unit of {found.input}" if np.isfinite(size[k]) else "without bound"
        where = f"{found.frequencies[k]:.6g} rad/s"
        lines.append(f"Among these frequencies {name} answers most at {where}: {much}.")
    return lines


def _number(x: float) -> float | None:
    return None if np.isnan(x) else float(x)
