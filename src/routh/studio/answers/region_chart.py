"""The ask `chart`: verdicts over two parameters, on a grid that gets finer while one looks.

Every grid contains the one before, so that no point is computed twice. Up to 65 x 65 every point is
computed; beyond that only those about which the coarser grid disagrees, and the answer says so: what is
narrower than a cell of 65 x 65 may be missed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import routh as rt
from routh.analysis.periodic.multipliers import Floquet
from routh.analysis.stability.verdict import Region
from routh.arrays import Array, Mask
from routh.display.report.findings import Findings
from routh.errors import DeclarationError, RouthError
from routh.kernels.plain_values import plain_values
from routh.language.walk import unfold
from routh.studio.answers.request import bounds, chosen, findings, position, table, whole
from routh.studio.answers.standing import rest_near
from routh.studio.bench import Bench
from routh.studio.plain import plain

GRIDS = (9, 17, 33, 65, 129)
"""Points along each side, one grid after the other."""

WHOLE = 65
"""The finest grid of which every point is computed."""

UNKNOWN = -1
"""The code of what is not computed yet."""

Codes = NDArray[np.int64]


def chart(bench: Bench, about: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """`chart` {text, values, q?, x: {parameter, from, to}, y: {..}, kind?, finest?}: a map, in parts.

    kind is "stability" (of the rest near q, as `stability_map`) or "floquet" (multipliers of a period),
    which is meant where the model has a period and nothing is said.

    Yields:
        {x: {name, unit, values}, y: {..}, z: [[code over x] for each y], words: {code: region}, kind,
        computed: points that were computed, filled: whether others were filled in between, done: bool}.
    """
    found = findings(bench, about)
    if found.model.system.friction:
        raise DeclarationError(
            "No chart is made of a system with friction: what sticks and what slips is found point by"
            " point. Move the sliders, or sweep over the parameters in Python."
        )
    x, y = (_axis(found, table(about, side), side) for side in ("x", "y"))
    if x[0] == y[0]:
        raise DeclarationError(f"A chart has two parameters. Got `{x[0]}` twice.")
    period = found.model.analysis.period
    usual = "stability" if period is None else "floquet"
    kind = chosen(about.get("kind") or usual, ("stability", "floquet"), "`kind`")
    if kind == "floquet" and period is None:
        raise DeclarationError(
            "A chart of Floquet's multipliers needs the period of the drive. Write it under [analysis],"
            ' like period = "2*pi/w".'
        )
    finest = whole(about.get("finest") or WHOLE, "`finest`", GRIDS[-1])
    grids = [n for n in GRIDS if n <= finest] or [GRIDS[0]]
    judge = _Periodic(found, about) if kind == "floquet" else _Resting(found, about)
    return _refined(bench, found, x, y, kind, grids, judge)


def _refined(
    bench: Bench, found: Findings, x: Any, y: Any, kind: str, grids: list[int], judge: Any
) -> Iterator[dict[str, Any]]:
    codes: Codes = np.full((1, 1), UNKNOWN)
    computed = 0
    for step, n in enumerate(grids):
        bench.progress(step / len(grids), f"Judging {n} x {n} points")
        known = _spread(codes, n)
        wanted = known == UNKNOWN
        if n > WHOLE:
            wanted &= _disagreeing(codes, n)
        across, up = (np.linspace(low, high, n) for _, (low, high) in (x, y))
        rows, columns = np.nonzero(wanted)
        if len(rows):
            known[wanted] = judge({x[0]: across[columns], y[0]: up[rows]})
        computed += len(rows)
        codes = known if n <= WHOLE else _filled(known, codes)
        part = {
            "x": _side(found, x[0], across),
            "y": _side(found, y[0], up),
            "z": codes,
            "words": dict(enumerate(judge.words)),
            "kind": kind,
            "computed": computed,
            "filled": computed < codes.size,
            "done": n == grids[-1],
        }
        yield dict(plain(part))


def _axis(found: Findings, given: Mapping[str, Any], side: str) -> tuple[str, tuple[float, float]]:
    names = [p.name for p in found.system.parameters]
    name = chosen(given.get("parameter"), names, f"`parameter` of `{side}`")
    return name, bounds(given, f"`{name}`")


def _side(found: Findings, name: str, values: Array) -> dict[str, Any]:
    return {"name": name, "unit": found.model.units.get(name, ""), "values": values}


def _spread(codes: Codes, n: int) -> Codes:
    """The codes on a grid twice as fine, unknown in between."""
    finer = np.full((n, n), UNKNOWN)
    if len(codes) > 1:
        every = (n - 1) // (len(codes) - 1)
        finer[::every, ::every] = codes
    return finer


def _disagreeing(codes: Codes, n: int) -> Mask:
    """(n, n) points of the finer grid within cells whose corners are not of one mind."""
    corners = [codes[:-1, :-1], codes[1:, :-1], codes[:-1, 1:], codes[1:, 1:]]
    mixed = np.any([corner != corners[0] for corner in corners], axis=0)
    near = np.zeros((n, n), dtype=bool)
    for k, j in np.argwhere(mixed):
        near[2 * k : 2 * k + 3, 2 * j : 2 * j + 3] = True
    return near


def _filled(finer: Codes, codes: Codes) -> Codes:
    """The finer grid with points in between filled from a corner of their cell, which all agree."""
    n = len(finer)
    coarse = codes[np.ix_(np.arange(n) // 2, np.arange(n) // 2)]
    return np.where(finer == UNKNOWN, coarse, finer)


class _Resting:
    """Regions of the rest near where the page stands, as `stability_map` has them."""

    def __init__(self, found: Findings, about: Mapping[str, Any]) -> None:
        self._found = found
        self.words = [str(region) for region in Region]
        self._codes = {region: k for k, region in enumerate(Region)}
        q = position(found, about.get("q"))
        try:
            rest = rest_near(found, q)
            self._guess = dict(zip(rest.system.coordinates, rest.q, strict=True))
        except RouthError:  # there is none here, but may be elsewhere
            self._guess = {**found.model.guess, **q}

    def __call__(self, values: dict[str, Array]) -> Codes:
        found = self._found
        rest = rt.equilibrium(
            found.system,
            {**found.values, **values},
            guess=self._guess,
            inputs=found.model.inputs,
            speeds=found.model.analysis.speeds or None,
            raises=False,
        )
        regions = np.atleast_1d(rt.stability(rt.linearize(rest)).region)
        return np.array([self._codes[region] for region in regions])


class _Periodic:
    """Verdicts by multipliers, and what the nearest resonance is."""

    def __init__(self, found: Findings, about: Mapping[str, Any]) -> None:
        self._found = found
        self._guess = {**found.model.guess, **position(found, about.get("q"))}
        self.words: list[str] = []

    def __call__(self, values: dict[str, Array]) -> Codes:
        found, model = self._found, self._found.model
        names = [p.name for p in found.system.parameters]
        count = len(next(iter(values.values())))
        numbers = np.stack(
            [np.broadcast_to(values.get(name, found.values[name]), (count,)) for name in names], axis=1
        )
        e = unfold(model.expression(str(model.analysis.period)))
        period = plain_values([e], list(found.system.parameters), numbers)[:, 0]
        grown: Floquet = rt.floquet(
            found.system,
            {**found.values, **values},
            period,
            guess=self._guess,
            inputs=model.laws or None,
        )
        verdicts = np.atleast_1d(np.asarray(grown.verdict, dtype=object))
        return np.array([self._code(str(verdict)) for verdict in verdicts])

    def _code(self, word: str) -> int:
        if word not in self.words:
            self.words.append(word)
        return self.words.index(word)
