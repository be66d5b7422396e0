"""Whether the functions of a field can follow a stiffness that varies along the space.

Under a bending moment m(s) a beam of stiffness f(s) bends by m/f, and stores m**2/(2 f). Functions
whose curvatures are smooth where f is not are too stiff: of the energy they hold the projection of m/f
alone. The share that they leave out is what a frequency squared is too high by, or a deflection too low.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import legendre

from routh.analysis.steady import Equilibrium
from routh.errors import DerivationError, capital
from routh.kernels.batch import Array
from routh.kernels.kernel import Kernel, kernel
from routh.kernels.local import Local
from routh.language.fields import Field
from routh.language.shapes import Rule, Shape
from routh.language.system import System
from routh.language.walk import leaves
from routh.mechanics.bases import NodalBasis

LEFT_OUT = 0.02
"""Share of the energy that functions may leave out: one percent of a frequency.

Less is what any number of functions leaves out, and modes(converged=...) says how much.
"""

FEW = 12
"""Places that a message names."""


def refuse_stiff_functions(reference: Equilibrium) -> None:
    """Refuse an equilibrium of fields whose functions cannot follow a stiffness that varies."""
    system = reference.system
    engine = kernel(system)
    if engine.assembly is None:
        return
    for local in engine.assembly.locals:
        if not local.rule.exact:
            _check(reference, engine, local)


def _check(reference: Equilibrium, engine: Kernel, local: Local) -> None:
    point = reference.point()
    found = np.atleast_1d(np.asarray(reference.converged)).reshape(-1)
    balance = engine.about(point)
    blocks = balance.local_stiffness(local, point.arguments)
    steepest: dict[Field, int] = {}
    for k, x in enumerate(local.variables):
        if isinstance(x, Field) and x.end is None and x.slope:
            best = steepest.get(x.base)
            if best is None or local.variables[best].slope < x.slope:
                steepest[x.base] = k
    for base, k in steepest.items():
        shape = next(shape for shape in reference.system.shapes if shape.field == base)
        for f in blocks[found][:, :, k, k]:
            share = _left_out(reference.system, shape, local.variables[k], local.rule, f)
            if share > LEFT_OUT:
                raise DerivationError(_message(reference.system, shape, local.rule, share))


def _left_out(system: System, shape: Shape, x: Any, rule: Rule, f: Array) -> float:
    """The share of the energy under a smooth load that the functions leave out.

    What they leave out of it with a stiffness that is the same everywhere does not count.
    """
    if not (np.isfinite(f).all() and (f > 0).all()):
        return 0.0
    m = _moment(system, shape, x, rule.xi)
    return _share(shape, x, rule, f, m) - _share(shape, x, rule, np.ones_like(f), m)


def _share(shape: Shape, x: Any, rule: Rule, f: Array, m: Array) -> float:
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
    for k, (first, last) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
        a, b = basis.cells[k], basis.cells[k + 1]
        place = (2 * rule.xi[first:last] - a - b) / (b - a)
        degree = max(basis.degree - slope, 0)
        found.append((slice(first, last), legendre.legvander(place, degree)))
    return found


def _moment(system: System, shape: Shape, x: Any, xi: Array) -> Array:
    """A moment (tension) along the space: it vanishes at ends that nothing holds."""
    found = np.ones_like(xi)
    basis = shape.basis
    if not isinstance(basis, NodalBasis):
        return found
    continuous = system.continuous or system
    written = leaves(e for part in continuous.parts().values() for e in part)
    for end, distance in ((0, 1 + xi), (1, 1 - xi)):
        own = x.base
        for slope in range(min(basis.order, x.slope)):
            place, _ = basis.end_function(end, slope)
            is_free = shape.amplitudes[place] in shape.coordinates
            if is_free and own.at_end(end) not in written:
                found = found * distance
            own = own.steeper
    return found


def _message(system: System, shape: Shape, rule: Rule, share: float) -> str:
    places = [f"{(1 + x) / 2:.6g}" for x in rule.breaks]
    where = f" at {', '.join(places)}," if 0 < len(places) <= FEW else ""
    w = shape.field
    return (
        f"The functions of `{w}` in {system.title} cannot follow its stiffness along `{w.space}`: they"
        f" leave out {share:.1%} of the energy that a smooth load stores, as the stiffness changes"
        f" within less than they can bend. Take Elements((0, ..., 1)) with nodes{where} where it"
        f" changes, or more functions. {capital(system.title)} has {system.sizes[w]} for `{w}`."
    )
