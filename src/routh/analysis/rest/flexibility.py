"""Whether the functions of a field can follow a stiffness that varies along the space.

Under a bending moment m(s) a beam of stiffness f(s) bends by m/f, and stores m**2/(2 f). Functions
whose curvatures are smooth where f is not are too stiff: they hold the projection of m/f alone. By the
share of the energy that they leave out a frequency squared is too high, and a deflection too low.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.errors import DerivationError, capital
from routh.kernels.engine import Density
from routh.kernels.kernel import kernel
from routh.language.fields import Field
from routh.language.shapes import Rule, Shape
from routh.language.system import System
from routh.language.walk import leaves

LEFT_OUT = 0.02
"""Share of the energy that functions may leave out: one percent of a frequency.

Less is what any number of functions leaves out, and modes(converged=...) says how much.
"""

FEW = 12
"""Places that a message names."""


def refuse_stiff_functions(reference: Equilibrium) -> None:
    """Refuse what is told about fields whose functions cannot follow a stiffness that varies."""
    if all(rule.exact for rule in reference.system.rules.values()):
        return
    for w, share in left_out(reference).items():
        if share > LEFT_OUT:
            raise DerivationError(_message(reference.system, w, share))


def left_out(reference: Equilibrium) -> dict[Field, float]:
    """For each field the share of the energy that its functions leave out, the largest of a batch."""
    system, point = reference.system, reference.point()
    engine = kernel(system)
    sums = engine.sums_about(point)
    if sums is None:
        return {}
    found = np.atleast_1d(np.asarray(reference.converged)).reshape(-1)
    shares: dict[Field, float] = {}
    for local, _, K in sums.local_matrices(point.arguments):
        if local.rule.exact:
            continue
        for x, k in _steepest(local).items():
            each = [
                _left_out(system, _shape(system, x), x, local.rule, f) for f in K[found][:, :, k, k]
            ]
            shares[x.base] = max(each, default=0.0)
    return shares


def unseen(reference: Equilibrium, count: int) -> float:
    """A bound of the share by which masses and foundations that functions cannot follow move modes.

    With the share r**2 of a mass (in the mean square) that is no polynomial of the degree of n
    functions, perturbation by the modes beyond them moves eigenvalue k by r**2 lambda_k / lambda_n,
    and these grow with the power 2d of their number, d being the highest derivative in the energy.
    """
    system, point = reference.system, reference.point()
    sums = kernel(system).sums_about(point)
    if sums is None:
        return 0.0
    found = np.atleast_1d(np.asarray(reference.converged)).reshape(-1)
    most = 0.0
    for local, M, K in sums.local_matrices(point.arguments):
        steepest = {} if local.rule.exact else {x.base: x.slope for x in _steepest(local)}
        for k, x in enumerate(local.variables):
            if not isinstance(x, Field) or x.end is not None or x.slope >= steepest.get(x.base, 0):
                continue
            shape, power = _shape(system, x), 2 * (steepest[x.base] - x.slope)
            ratio = min(1.0, (count / len(shape.coordinates)) ** power)
            columns = [f for X in (M, K) for f in X[found][:, :, k, k] if f.any()]
            shares = [_rough(shape, local.rule, f) for f in columns if np.isfinite(f).all()]
            most = max(most, ratio * max(shares, default=0.0))
    return most


def _rough(shape: Shape, rule: Rule, f: Array) -> float:
    """The share of a coefficient, in the mean square, that is no sum of functions."""
    weight = np.sqrt(rule.weights)
    left = 0.0
    for inside, functions in _pieces(shape, 0, rule):
        columns = weight[inside, None] * functions
        fit = np.linalg.lstsq(columns, weight[inside] * f[inside], rcond=None)[0]
        left += float(np.sum((weight[inside] * f[inside] - columns @ fit) ** 2))
    return left / float(np.sum((weight * f) ** 2))


def _shape(system: System, x: Field) -> Shape:
    return next(shape for shape in system.shapes if shape.field == x.base)


def _steepest(local: Density) -> dict[Field, int]:
    """The highest derivative of each field along the space, and its place."""
    found: dict[Field, tuple[Field, int]] = {}
    for k, x in enumerate(local.variables):
        if not isinstance(x, Field) or x.end is not None or not x.slope:
            continue
        if x.base not in found or found[x.base][0].slope < x.slope:
            found[x.base] = x, k
    return dict(found.values())


def _left_out(system: System, shape: Shape, x: Field, rule: Rule, f: Array) -> float:
    """The share of the energy under a smooth load that the functions leave out.

    What they leave out of it with a stiffness that is the same everywhere does not count.
    """
    if not (np.isfinite(f).all() and (f > 0).all()):
        return 0.0
    m = _moment(system, shape, x, rule.xi)
    return _share(shape, x, rule, f, m) - _share(shape, x, rule, np.ones_like(f), m)


def _share(shape: Shape, x: Field, rule: Rule, f: Array, m: Array) -> float:
    target = m * np.sqrt(rule.weights / f)
    factor = np.sqrt(rule.weights * f)
    left = 0.0
    for inside, functions in _pieces(shape, x.slope, rule):
        columns = factor[inside, None] * functions
        columns = columns / np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
        fit = np.linalg.lstsq(columns, target[inside], rcond=None)[0]
        left += float(np.sum((target[inside] - columns @ fit) ** 2))
    return left / float(np.sum(target**2))


def _pieces(shape: Shape, slope: int, rule: Rule) -> list[tuple[Any, Array]]:
    """The points between two nodes of the functions, and slopes there that they can have."""
    basis = shape.basis
    if basis.degree is None:
        every = slice(None)
        return [(every, np.asarray(basis.values(rule.xi, slope)))]
    found = []
    bounds = np.searchsorted(rule.xi, basis.cells)
    for k, (first, last) in enumerate(pairwise(bounds.tolist())):
        a, b = basis.cells[k], basis.cells[k + 1]
        place = (2 * rule.xi[first:last] - a - b) / (b - a)
        degree = max(basis.degree - slope, 0)
        found.append((slice(first, last), np.asarray(legendre.legvander(place, degree), dtype=float)))
    return found


def _moment(system: System, shape: Shape, x: Field, xi: Array) -> Array:
    """A moment (tension) along the space: it vanishes at ends that nothing holds."""
    found = np.ones_like(xi)
    if shape.basis.ends is None:
        return found
    continuous = system.continuous or system
    written = leaves(e for part in continuous.parts().values() for e in part)
    for (end, slope), (place, _) in shape.basis.ends.items():
        own = x.base if slope == 0 else x.base.steeper
        is_free = shape.amplitudes[place] in shape.coordinates
        if slope < x.slope and is_free and own.at_end(end) not in written:
            found = found * (1 - xi if end else 1 + xi)
    return found


def _message(system: System, w: Field, share: float) -> str:
    rule = system.rules[w.space]
    places = [f"{(1 + x) / 2:.6g}" for x in rule.breaks]
    where = f" at {', '.join(places)}," if 0 < len(places) <= FEW else ""
    return (
        f"The functions of `{w}` in {system.title} cannot follow its stiffness along `{w.space}`: they"
        f" leave out {share:.1%} of the energy that a smooth load stores, as the stiffness changes"
        f" within less than they can bend. Take Elements((0, ..., 1)) with nodes{where} where it"
        f" changes, or more functions. {capital(system.title)} has {system.sizes[w]} for `{w}`."
    )
