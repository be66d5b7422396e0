"""The ask `live`: what follows the hand on a slider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from routh.studio.answers.linear_answers import curve
from routh.studio.answers.request import findings, position
from routh.studio.answers.standing import eigenvalues, judged, mode_rows, place_of, stand
from routh.studio.bench import Bench
from routh.studio.plain import plain

POINTS = 201
"""Frequencies of a response that follows the hand."""


def live_numbers(bench: Bench, about: Mapping[str, Any]) -> dict[str, Any]:
    """`live` {text, values, q?, want?, input?, output?}: the rest near q, its modes and its verdict.

    Only numbers move, so that nothing is derived or built again: Newton's method from q, the matrices,
    their eigenvalues, and the verdict of `modes(...).stability`.

    Returns:
        q, rates, place: the rest, by name and in words. kind: "modes" | "floquet".
        eigenvalues: [[re, im]]; exponents of a period where kind is "floquet".
        modes: [{re, im, pair, frequency, hertz, period | null, damping | null, kind, converged: null}].
        multipliers: [[re, im]] where kind is "floquet".
        verdict, reason, region: words.
        response: where `want` names "response" and the model has inputs: as the ask `response` of
            one input and output, without their lists; null where there is none.
    """
    found = findings(bench, about)
    here = stand(found, position(found, about.get("q")))
    answer = place_of(found, here.rest)
    answer["kind"] = "modes" if here.modes is not None else "floquet"
    answer["eigenvalues"] = eigenvalues(here)
    answer["modes"] = [] if here.modes is None else mode_rows(here.modes)
    answer["multipliers"] = [] if here.periodic is None else here.periodic.multipliers
    answer |= judged(here)
    wanted = about.get("want")
    if isinstance(wanted, list) and "response" in wanted:
        inputs = found.system.inputs
        answer["response"] = None
        if here.modes is not None and inputs:
            answer["response"] = curve(found, here.modes, about, POINTS)
    return dict(plain(answer))
