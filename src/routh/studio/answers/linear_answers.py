"""The asks `response` and `locus`: answers to harmonic inputs, and eigenvalues along a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import routh as rt
from routh.analysis.linear.outputs import plain_outputs
from routh.analysis.stability.frequencies_around import formal, frequencies_around, frequency_range
from routh.analysis.stability.natural_modes import Modes
from routh.arrays import Array
from routh.display.report.findings import Findings
from routh.errors import DeclarationError, DerivationError, RouthError
from routh.studio.answers.request import bounds, chosen, findings, number, position
from routh.studio.answers.standing import rest_near, stand
from routh.studio.bench import Bench
from routh.studio.plain import plain

POINTS = 601
"""Frequencies of a response."""

STOPS, FEW_STOPS = 201, 31
"""Values of the parameter of a locus; fewer where something rolls, which is judged point by point."""


def response(bench: Bench, about: Mapping[str, Any]) -> dict[str, Any]:
    """`response` {text, values, q?, input?, output?, from?, to?}: the answer to a harmonic input.

    Returns:
        inputs, outputs: names; outputs are coordinates, fields at their far ends, and what the model
            shows of its motion.
        input, output: the chosen ones, the first if none is given.
        omega: rad/s. gain: | answer |. phase: rad, unwrapped. nyquist: [[re, im]]. resonances: rad/s of
            undamped ones, where the gain has no bound.
        unit: of the gain. words: what is to be said, e.g. that answers about an unstable rest are
            formal; "" for nothing.
    """
    found = findings(bench, about)
    if not found.system.inputs:
        raise DeclarationError(
            "The model has no inputs, and answers nothing. Write one under [inputs], like u = {}, and a"
            ' force with it: [[forces]] on = "theta", value = "u".'
        )
    here = stand(found, position(found, about.get("q")))
    if here.modes is None:
        raise DerivationError(
            "The linear model changes with the drive along its period, and has no frequency response."
        )
    answer = curve(found, here.modes, about, POINTS)
    answer["inputs"] = [u.name for u in found.model.system.inputs]
    answer["outputs"] = list(outputs_of(found))
    return dict(plain(answer))


def outputs_of(found: Findings) -> dict[str, Any]:
    """What can be read, by name: coordinates, fields at their far ends, what the model shows."""
    every = [*plain_outputs(found.system), *found.shown]
    return {str(y): y for y in every}


def curve(found: Findings, modes: Modes, about: Mapping[str, Any], points: int) -> dict[str, Any]:
    """One frequency response, plain."""
    inputs, outputs = [u.name for u in found.model.system.inputs], outputs_of(found)
    name = chosen(about.get("input") or inputs[0], inputs, "`input`")
    output = chosen(about.get("output") or next(iter(outputs)), outputs, "`output`")
    around = frequency_range(modes)
    if around is None:
        raise DerivationError(
            "No frequency response: no mode of the fields is converged. Give them more `functions`."
        )
    low, high = (
        number(given, f"`{key}`") if (given := about.get(key)) is not None else usual
        for key, usual in zip(("from", "to"), around, strict=True)
    )
    if not 0 < low < high:
        raise DeclarationError(
            f"Frequencies go from a number above zero to a larger one. Got {low:g} to {high:g}."
        )
    w = frequencies_around(modes, low, high, points)
    answer = rt.frequency_response(modes.linear, name, [outputs[output]], w)
    transfer = answer.transfer[:, 0]
    return {
        "input": name,
        "output": output,
        "omega": w,
        "gain": np.abs(transfer),
        "phase": answer.phase[:, 0],
        "nyquist": transfer,
        "resonances": answer.resonances,
        "words": " ".join(filter(None, [answer.remark, formal(modes.stability)])),
    }


def locus(bench: Bench, about: Mapping[str, Any]) -> dict[str, Any]:
    """`locus` {text, values, q?, parameter, from, to}: eigenvalues along a parameter.

    The rest is followed from q; modes are told apart through crossings, so that eigenvalues[i][k] and
    eigenvalues[i + 1][k] belong together.

    Returns:
        parameter, unit, values: [...]; eigenvalues: [[[re, im]]], null where there is no rest.
        verdicts: [words]. places: {name: [numbers]}, the rest along the parameter.
        changes: [{between: [low, high], from, to, words}]: neighbouring values with other verdicts.
    """
    found = findings(bench, about)
    names = [p.name for p in found.model.system.parameters]
    name = chosen(about.get("parameter"), names, "`parameter`")
    low, high = bounds(about, f"`{name}`")
    bench.progress(None, f"Following eigenvalues along {name}")
    rolls = not all(found.system.is_holonomic)
    numbers = np.linspace(low, high, FEW_STOPS if rolls else STOPS)
    modes = along(found, name, numbers, position(found, about.get("q")))
    verdicts = _verdicts(modes, len(numbers))
    reference = modes.linear.reference
    q = reference.q
    coordinates = [x.name for x in reference.system.coordinates]
    return dict(
        plain(
            {
                "parameter": name,
                "unit": found.model.units.get(name, ""),
                "values": numbers,
                "eigenvalues": modes.eigenvalues,
                "verdicts": verdicts,
                "places": {x: q[:, k] for k, x in enumerate(coordinates)},
                "changes": changes(numbers, verdicts, name),
            }
        )
    )


NODES = 25
"""Values at which the rest is followed one after the other, before all are solved at once."""


def along(found: Findings, name: str, numbers: Array, q: Mapping[Any, float]) -> Modes:
    """Modes about the rest near a position, for each of these numbers of a parameter.

    The rest is followed from where it is at the present value, so that one that moves far is not left
    for another.
    """
    model = found.model
    values: dict[str, Any] = {**found.values, name: numbers}
    batch = rt.equilibrium(
        found.system,
        values,
        guess=_followed(found, name, numbers, q),
        inputs=model.inputs,
        speeds=model.analysis.speeds or None,
    )
    linear = rt.linearize(batch)
    try:
        return rt.modes(linear, track=True)
    except RouthError:  # a direction without mass, or very many coordinates
        return rt.modes(linear)


def _followed(found: Findings, name: str, numbers: Array, q: Mapping[Any, float]) -> dict[Any, Array]:
    """Guesses along a parameter: rests at a few values, each found from the one before."""
    here = rest_near(found, q)
    coordinates = here.system.coordinates
    low, high = float(numbers.min()), float(numbers.max())
    own = min(max(float(found.values[name]), low), high)
    known = {own: here.q}
    for end in (low, high):
        last = here.q
        for value in np.linspace(own, end, NODES)[1:] if own != end else ():
            guess = dict(zip(coordinates, last, strict=True))
            beside = found.with_values({name: float(value)})
            try:
                last = rest_near(beside, guess).q
            except RouthError:  # it ends here, at a fold perhaps
                break
            known[float(value)] = last
    at = sorted(known)
    rows = np.array([known[value] for value in at])
    return {x: np.interp(numbers, at, rows[:, k]) for k, x in enumerate(coordinates)}


def _verdicts(modes: Modes, count: int) -> list[str]:
    try:
        return [str(v) for v in modes.stability.verdict]
    except RouthError:
        return ["undecided"] * count


def changes(numbers: Array, verdicts: Sequence[str], name: str) -> list[dict[str, Any]]:
    """Between which two values the verdict changes; what lies between them was not looked at."""
    found = []
    for k, (before, after) in enumerate(pairwise(verdicts)):
        if before != after:
            low, high = float(numbers[k]), float(numbers[k + 1])
            words = f"{before} at {name} = {low:.6g}, {after} at {high:.6g}"
            found.append({"between": [low, high], "from": before, "to": after, "words": words})
    return found
