"""The verb `from_sympy`: what `sympy.physics.mechanics` was told, as a system.

A `LagrangesMethod` has the Lagrangian, constraints and loads. A `KanesMethod` has bodies, whose kinetic
energy is T(q, u); with q' = W u + w, T(q, q') follows where W can be inverted, and loads do the work
Q = W^-T F. That this is the same mechanics holds if velocities of points are rates of places:
constraints that were built into velocities break it. So Lagrange's rows are compared with Kane's,
W^T (Q - d/dt T_v + T_q) = F_r + F_r*, in numbers at random states, before a system is given.
"""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import KanesMethod, LagrangesMethod, Particle, Point, RigidBody

from routh.errors import DeclarationError, a_kind
from routh.language.system import System

AGREE = 1e-8
"""Of their size: so far may the rows of Lagrange and of Kane differ in numbers."""

DRAWS = 3
"""States at which they are compared."""


def from_sympy(method: object, *, name: str = "") -> System:
    """The system that a `LagrangesMethod` or a `KanesMethod` of SymPy describes.

    Generalized coordinates become coordinates, other functions of time inputs, and other symbols
    parameters, each by its name. Loads become generalized forces. Speeds of Kane are replaced by rates
    of coordinates, and his equations are compared with Lagrange's in numbers.

    Arguments:
        method: the object; its equations need not have been formed.
        name: of the system.

    Raises:
        DeclarationError: it is neither, lacks bodies, has other than one speed for each coordinate, or
            its velocities are not rates of places.

    Example:
        >>> import sympy
        >>> from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols
        >>> q, (m, k) = dynamicsymbols("q"), sympy.symbols("m k")
        >>> method = LagrangesMethod(m * q.diff()**2 / 2 - k * q**2 / 2, [q])
        >>> from_sympy(method, name="oscillator")
        System(oscillator: 1 coordinate q; parameters k, m)
    """
    if isinstance(method, LagrangesMethod):
        return _of_lagrange(method, name)
    if isinstance(method, KanesMethod):
        return _of_kane(method, name)
    raise DeclarationError(
        "from_sympy takes a LagrangesMethod or a KanesMethod of sympy.physics.mechanics. Got"
        f" {a_kind(method)}. A Lagrangian alone is read by System.from_dynamicsymbols."
    )


def _of_lagrange(method: Any, name: str) -> System:
    q = list(method.q)
    if method.forcelist and method.inertial is None:
        raise DeclarationError(
            "The LagrangesMethod has loads and no inertial frame, so that their work is not known. Give"
            " it `frame`."
        )
    rates = [x.diff() for x in q]
    forces = _work(method.forcelist, method.inertial, {}, rates)
    held = list(method._hol_coneqs)
    rolling = list(method.coneqs)[len(held) :]  # before these stand the rates of the others
    return System.from_dynamicsymbols(
        method._L[0],
        q,
        forces={x: F for x, F in zip(q, forces, strict=True) if F != 0},
        constraints=[*held, *rolling],
        name=name,
    )


def _work(loads: Any, frame: Any, rates: dict[Any, Any], by: list[Any]) -> list[sympy.Expr]:
    """What loads do along each of the speeds, F . dv/du; `rates` are put in for rates before."""
    total = sympy.zeros(len(by), 1)
    for where, load in loads or ():
        moved = where.vel(frame) if isinstance(where, Point) else where.ang_vel_in(frame)
        slopes = moved.to_matrix(frame).xreplace(rates).jacobian(by)
        total += slopes.T * load.to_matrix(frame)
    return list(total)


def _of_kane(method: Any, name: str) -> System:
    bodies, loads, frame = method._bodylist, method._forcelist, method._inertial
    if not bodies or any(not isinstance(each, (RigidBody, Particle)) for each in bodies):
        raise DeclarationError(
            "The KanesMethod must know its bodies, each a RigidBody or a Particle. Give it `bodies` and"
            " `forcelist`, or call kanes_equations(bodies, loads) first."
        )
    still = dict.fromkeys(method._uaux, sympy.S.Zero)
    q, u, rates = list(method.q), list(method.u), list(method._qdot)
    moves = {rate: e.xreplace(still) for rate, e in (method._qdot_u_map or {}).items()}
    speeds, W = _speeds(u, rates, moves)
    T = sympy.Add(*(body.kinetic_energy(frame) for body in bodies)).doit()
    T = T.xreplace(still).xreplace(speeds)
    along_u = [F.xreplace(still) for F in _work(loads, frame, moves, u)]
    along_q = W.T.LUsolve(sympy.Matrix(along_u)).xreplace(speeds)
    _refuse_other_mechanics(method, T, along_q, moves, W)
    held = list(method._f_h)
    rolling = list(method._k_nh * method.u + method._f_nh) if len(method._k_nh) else []
    rolling = [phi.xreplace(still).xreplace(speeds) for phi in rolling]
    return System.from_dynamicsymbols(
        T,
        q,
        forces={x: F for x, F in zip(q, along_q, strict=True) if F != 0},
        constraints=[*held, *_not_rates_of(held, rolling, rates)],
        name=name,
    )


def _speeds(
    u: list[Any], rates: list[Any], moves: dict[Any, Any]
) -> tuple[dict[Any, sympy.Expr], sympy.Matrix]:
    """The speeds by rates of coordinates, and W of q' = W u + w."""
    if not moves or len(u) != len(rates):
        raise DeclarationError(
            "A KanesMethod is read where there are as many speeds as coordinates, with kinematic"
            f" equations `kd_eqs` between them. Got {len(rates)} coordinates and {len(u)} speeds. Give"
            " velocity constraints with dependent speeds instead of leaving speeds out."
        )
    right = sympy.Matrix([moves[rate] for rate in rates])
    W = right.jacobian(u)
    rest = right.xreplace(dict.fromkeys(u, sympy.S.Zero))
    try:
        found = W.LUsolve(sympy.Matrix(rates) - rest)
    except ValueError:
        raise DeclarationError(
            "The kinematic equations of the KanesMethod do not determine its speeds by rates of"
            " coordinates. Choose speeds that do."
        ) from None
    return dict(zip(u, found, strict=True)), W


def _refuse_other_mechanics(
    method: Any, T: sympy.Expr, Q: Any, moves: dict[Any, Any], W: sympy.Matrix
) -> None:
    """Compare Lagrange's rows with Kane's, in numbers."""
    time = sympy.physics.mechanics.dynamicsymbols._t
    second = {rate.diff(time): e.diff(time).xreplace(moves) for rate, e in moves.items()}
    rows = [
        F - T.diff(rate).diff(time) + T.diff(x)
        for F, x, rate in zip(Q, method.q, method._qdot, strict=True)
    ]
    ours = W.T * sympy.Matrix(rows)
    if len(method._udep):
        free = len(method.u) - len(method._udep)
        ours = ours[:free, :] + method._Ars.T * ours[free:, :]
    ours = ours.doit().xreplace(second).xreplace(moves)
    other = copy.copy(method)
    fr, frstar = other.kanes_equations(method._bodylist, method._forcelist or None)
    kane = (fr + frstar)[: ours.rows, :].xreplace(second).xreplace(moves)
    for mine, his in _numbers([list(ours), list(kane)]):
        if not np.allclose(mine, his, rtol=AGREE, atol=AGREE * (1 + np.abs(his).max())):
            raise DeclarationError(
                "The KanesMethod cannot be read as energies: Lagrange's equations of its bodies are not"
                " Kane's. Its velocities are not the rates of places, as where constraints were built"
                " into them. Give all speeds, and what holds them as `velocity_constraints`."
            )


def _numbers(lists: list[list[Any]]) -> list[list[np.ndarray[Any, Any]]]:
    """The expressions in numbers, at some random values of all that stands in them.

    Roots and logarithms may be outside of where they are real: equal expressions are equal there too.
    """
    rows = [[sympy.sympify(e, strict=True) for e in each] for each in lists]  # never reads a text
    kinds = (sympy.Derivative, AppliedUndef, sympy.Symbol)
    atoms = sorted({a for row in rows for e in row for kind in kinds for a in e.atoms(kind)}, key=str)
    draw = random.Random(1)
    found = []
    for _ in range(DRAWS):
        point = {atom: sympy.Float(draw.uniform(0.3, 1.7)) for atom in atoms}
        found.append([np.array([complex(e.xreplace(point).evalf()) for e in row]) for row in rows])
    return found


def _not_rates_of(held: list[Any], rolling: list[Any], rates: list[Any]) -> list[Any]:
    """Velocity constraints that do not follow from the rates of the positions that are held."""
    kept: list[Any] = []
    time = sympy.physics.mechanics.dynamicsymbols._t
    zero = dict.fromkeys(rates, sympy.S.Zero)

    def row(phi: Any) -> list[Any]:
        return [*(phi.diff(rate) for rate in rates), phi.xreplace(zero)]

    before = [row(phi.diff(time).doit()) for phi in held]
    for phi in rolling:
        ranks = [
            np.linalg.matrix_rank(np.array(point), tol=AGREE) for point in _numbers([*before, row(phi)])
        ]
        if max(ranks) > len(before):
            kept.append(phi)
            before.append(row(phi))
    return kept
