"""The asks `branches` and `switch`: rests over a parameter, and the branches that cross them.

A branch is known by how it is reached: `up` and `down` are followed from the rest on the page, `up/1`
is what crosses `up` at its point 1. So a worker that has never seen a branch makes it again.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import routh as rt
from routh.analysis.branches.follow import Branch
from routh.analysis.stability.branch_words import Kind
from routh.display.report.every_branch import every_branch
from routh.display.report.findings import Findings
from routh.errors import DeclarationError, RouthError
from routh.studio.answers.request import bounds, chosen, findings, position, whole
from routh.studio.answers.standing import rest_near
from routh.studio.bench import Bench
from routh.studio.plain import plain

DIAGRAMS = 4
"""Diagrams whose branches are kept."""

_KEPT: OrderedDict[str, dict[str, Branch]] = OrderedDict()


def branches(bench: Bench, about: Mapping[str, Any]) -> dict[str, Any]:
    """`branches` {text, values, q?, parameter, from, to, all?}: rests over a parameter.

    From the rest near q at its value (or at the nearest in the range) both ways to the ends of the
    range; with `all` true every branch that is found from all rests there, and those that cross.

    Returns:
        parameter, unit, at: its present value.
        branches: [{id, name, x: [values], q: {name: [...]}, verdicts: [words], points: [{k, kind,
            value, q, words, frequency | null, switchable}], ended: words}]; kind is "fold", "branch",
            "hopf", "flutter", "change".
        remarks: sentences on what was left out.
    """
    made, found, name, remarks = _diagram(bench, about)
    return _told(found, name, made, remarks)


def switch(bench: Bench, about: Mapping[str, Any]) -> dict[str, Any]:
    """`switch` {.. as branches, branch: id, point: k, known?: [ids]}: the same with one branch more.

    The new one is the other branch through point k of `branch`; its id is `id/k`. `known` are the ids
    on the page, so that none of them is lost if the worker is new. `added` is the id of the new one.
    """
    made, found, name, remarks = _diagram(bench, about)
    ends = sorted(bounds(about, f"`{name}`"))
    known = about.get("known")
    for each in known if isinstance(known, list) else ():
        _reached(made, str(each), ends)
    path = f"{about.get('branch')}/{whole(about.get('point'), '`point`', 10_000)}"
    _reached(made, path, ends)
    return _told(found, name, made, remarks) | {"added": path}


def _diagram(
    bench: Bench, about: Mapping[str, Any]
) -> tuple[dict[str, Branch], Findings, str, list[str]]:
    """The branches of a request, followed if they are not kept."""
    found = findings(bench, about)
    name = chosen(about.get("parameter"), [p.name for p in found.system.parameters], "`parameter`")
    low, high = sorted(bounds(about, f"`{name}`"))
    asked = {key: about.get(key) for key in ("text", "values", "sizes", "q", "all")}
    key = json.dumps([asked, name, low, high], sort_keys=True, default=str)
    remarks: list[str] = []
    if key not in _KEPT:
        bench.progress(None, f"Following equilibria along {name}")
        ways = _every if about.get("all") else _both_ways
        _KEPT[key] = ways(found, name, low, high, position(found, about.get("q")), remarks)
        while len(_KEPT) > DIAGRAMS:
            _KEPT.popitem(last=False)
    _KEPT.move_to_end(key)
    return _KEPT[key], found, name, remarks


def _both_ways(
    found: Findings, name: str, low: float, high: float, q: Mapping[Any, float], remarks: list[str]
) -> dict[str, Branch]:
    own = min(max(float(found.values[name]), low), high)
    rest = rest_near(found.with_values({name: own}), q)
    made: dict[str, Branch] = {}
    failed: RouthError | None = None
    for key, to in (("up", high), ("down", low)):
        if to == own:
            continue
        try:
            made[key] = rt.follow(rest, name, to)
        except RouthError as error:
            failed = error
            remarks.append(str(error))
    if not made and failed is not None:
        raise failed
    return made


def _every(
    found: Findings,
    name: str,
    low: float,
    high: float,
    q: Mapping[Any, float],
    remarks: list[str],
) -> dict[str, Branch]:
    """Branches from all rests at both ends of the range and at the present value."""
    ends: list[tuple[Any, list[float]]] = []
    for value, targets in ((low, [high]), (high, [low])):
        there = found.with_values({name: value})
        rests = there.rests
        if isinstance(rests, str):
            remarks.append(rests)
            continue
        ends.append(([rest for k, rest in enumerate(rests) if not there.family(k)], targets))
    own = float(found.values[name])
    if low < own < high:
        ends.append(([rest_near(found, q)], [low, high]))
    diagram = every_branch(name, ends)
    remarks += diagram.remarks
    return {f"every{k}": branch for k, branch in enumerate(diagram.branches)}


def _reached(made: dict[str, Branch], path: str, ends: Sequence[float]) -> Branch:
    """The branch of an id, with those on the way to it."""
    if path in made:
        return made[path]
    before, _, k = path.rpartition("/")
    if not before or not k.isdigit():
        raise DeclarationError(
            f"There is no branch `{path[:80]}` here. Branches: {', '.join(made)}. Follow them again."
        )
    branch = _reached(made, before, ends)
    points = branch.points
    if int(k) >= len(points):
        raise DeclarationError(f"Branch `{before}` has {len(points)} points. Got point {k}.")
    made[path] = _crossing(branch, points[int(k)], ends)
    return made[path]


def _crossing(branch: Branch, point: Any, ends: Sequence[float]) -> Branch:
    """The other branch through a point, all over the range.

    A branch ends where the one that it crosses began. So where that came to an end of the range it is
    followed back from there, through the same point to the other end.
    """
    last = float(branch.at[-1])
    if point.kind is Kind.BRANCH and last in ends:
        rest = branch.rest.single(len(branch) - 1)
        back = rt.follow(rest, branch.parameter, ends[0] if last == ends[1] else ends[1])
        near = 1e-9 * (ends[1] - ends[0])
        for same in back.of(Kind.BRANCH):
            if abs(same.value - point.value) < near and np.allclose(
                same.rest.q, point.rest.q, atol=1e-6
            ):
                return back.switch(same)
    return branch.switch(point)


def _told(found: Findings, name: str, made: Mapping[str, Branch], remarks: list[str]) -> dict[str, Any]:
    answer = {
        "parameter": name,
        "unit": found.model.units.get(name, ""),
        "at": found.values[name],
        "branches": [_branch(key, each) for key, each in made.items()],
        "remarks": list(dict.fromkeys(remarks)),
    }
    return dict(plain(answer))


def _branch(key: str, each: Branch) -> dict[str, Any]:
    names = [q.name for q in each.system.coordinates]
    return {
        "id": key,
        "name": _name(key),
        "x": each.at,
        "q": {name: each.q[:, k] for k, name in enumerate(names)},
        "verdicts": [str(v) for v in each.verdicts],
        "points": [_point(k, point, names) for k, point in enumerate(each.points)],
        "ended": each.ended,
    }


def _name(key: str) -> str:
    first, *crossings = key.split("/")
    told = {"up": "followed upwards", "down": "followed downwards"}.get(first, "branch")
    return told + "".join(f", switched at its point {int(k) + 1}" for k in crossings)


def _point(k: int, point: Any, names: list[str]) -> dict[str, Any]:
    return {
        "k": k,
        "kind": point.kind.name.lower(),
        "value": point.value,
        "q": dict(zip(names, point.rest.q.tolist(), strict=True)),
        "words": str(point),
        "frequency": point.frequency,
        "switchable": point.kind is Kind.BRANCH,
    }
