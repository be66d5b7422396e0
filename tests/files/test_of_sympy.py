"""Systems of SymPy's mechanics: accelerations are those that SymPy solves for, or a sentence."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from sympy.physics.mechanics import (
    KanesMethod,
    LagrangesMethod,
    Particle,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

import routh as rt

m, g, l, k, c = sympy.symbols("m g l k c")
VALUES = {m: 1.3, g: 9.81, l: 0.7, k: 4.0, c: 0.2}


def compare(method, place, speed, inputs=()):
    """Accelerations at a state, by our system and by SymPy's matrices with multipliers."""
    system = rt.from_sympy(method)
    q = list(method.q)
    values = {str(p): VALUES[sympy.Symbol(str(p))] for p in system.parameters}
    ours = rt.dynamics(system, values, place, speed, inputs=dict(inputs) or None).a
    numbers = {**VALUES, **{dynamicsymbols(name): x for name, x in dict(inputs).items()}}
    at = dict(zip([x.diff() for x in q], speed, strict=True))
    if isinstance(method, LagrangesMethod):
        method.form_lagranges_equations()
        both = method.mass_matrix_full, method.forcing_full
        state = at
    else:
        method.kanes_equations(method._bodylist, method._forcelist)
        rates = method.kindiffdict()
        solved = sympy.solve([rates[r] - x for r, x in at.items()], list(method.u), dict=True)[0]
        both, state = (method.mass_matrix_full, method.forcing_full), solved
    A, b = (
        np.array(
            part.xreplace(state).subs(dict(zip(q, place, strict=True))).subs(numbers).tolist(),
            dtype=float,
        )
        for part in both
    )
    found = np.linalg.solve(A, b[:, 0])
    if isinstance(method, KanesMethod):
        second = [rates[r].diff() for r in at]
        udot = dict(zip([x.diff() for x in method.u], map(sympy.Float, found[len(q) :]), strict=True))
        theirs = [float(e.xreplace(udot).xreplace(at).xreplace(state).subs(dict(zip(q, place, strict=True))).subs(numbers))
                  for e in second]  # fmt: skip
    else:
        theirs = found[len(q) : 2 * len(q)]
    np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-12)
    return system


def test_a_lagrangian_with_a_load():
    q, F = dynamicsymbols("q F")
    N, O = ReferenceFrame("N"), Point("O")
    P = O.locatenew("P", l * sympy.sin(q) * N.x - l * sympy.cos(q) * N.y)
    P.set_vel(N, P.pos_from(O).dt(N))
    L = m * l**2 * q.diff() ** 2 / 2 + m * g * l * sympy.cos(q)
    method = LagrangesMethod(L, [q], forcelist=[(P, F * N.x - c * P.vel(N))], frame=N)
    system = compare(method, [0.4], [1.1], {"F": 0.8})
    assert [str(x) for x in system.inputs] == ["F"]


def test_constraints_of_positions_and_of_velocities():
    x, y, phi = dynamicsymbols("x y phi")
    L = m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y
    held = LagrangesMethod(L, [x, y], hol_coneqs=[x**2 + y**2 - l**2])
    system = compare(held, [0.7 * 0.6, -0.7 * 0.8], [0.8, 0.6])
    assert system.is_holonomic == (True,)
    L = m * (x.diff() ** 2 + y.diff() ** 2) / 2 + k * phi.diff() ** 2 / 2 - c * x
    skate = [x.diff() * sympy.sin(phi) - y.diff() * sympy.cos(phi)]
    method = LagrangesMethod(L, [x, y, phi], nonhol_coneqs=skate)
    assert compare(method, [0.1, 0.2, 0.5], [np.cos(0.5), np.sin(0.5), 0.3]).is_holonomic == (False,)


def test_kane_with_speeds_that_are_no_rates():
    """A double pendulum with absolute speeds, loads as forces."""
    q1, q2, u1, u2 = dynamicsymbols("q1 q2 u1 u2")
    N = ReferenceFrame("N")
    A, B = N.orientnew("A", "Axis", [q1, N.z]), N.orientnew("B", "Axis", [q1 + q2, N.z])
    A.set_ang_vel(N, u1 * N.z)
    B.set_ang_vel(N, u2 * N.z)
    O = Point("O")
    O.set_vel(N, 0)
    P, R = O.locatenew("P", l * A.x), O.locatenew("P", l * A.x).locatenew("R", l * B.x)
    P.v2pt_theory(O, N, A)
    R.set_vel(N, P.vel(N) + l * u2 * B.y)
    bodies = [Particle("one", P, m), RigidBody("two", R, B, m, (inertia(B, 0, 0, k), R))]
    loads = [(P, m * g * N.x), (R, m * g * N.x), (B, -c * u2 * N.z)]
    kinematic = [q1.diff() - u1, q1.diff() + q2.diff() - u2]
    method = KanesMethod(N, [q1, q2], [u1, u2], kinematic, bodies=bodies, forcelist=loads)
    compare(method, [0.3, 0.8], [0.5, -0.9])


@pytest.mark.parametrize("law", [lambda x: sympy.sqrt(x - 5), lambda x: sympy.log(x - 5)])
def test_forces_that_are_real_far_away_only(law):
    """The states at which Kane's equations are compared need not be where a root is real."""
    x, u = dynamicsymbols("x u")
    N, P = ReferenceFrame("N"), Point("P")
    P.set_vel(N, u * N.x)
    method = KanesMethod(
        N, [x], [u], [x.diff() - u], bodies=[Particle("p", P, m)], forcelist=[(P, -k * law(x) * N.x)]
    )
    a = rt.dynamics(rt.from_sympy(method), {"m": 1.3, "k": 4.0}, {"x": 7.0}).a
    assert a == pytest.approx([-4.0 * float(law(sympy.Float(7))) / 1.3], rel=1e-13)


def test_kane_with_a_velocity_constraint():
    x, y, phi, u1, u2, u3 = dynamicsymbols("x y phi u1 u2 u3")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [phi, N.z])
    A.set_ang_vel(N, u3 * N.z)
    P = Point("P")
    P.set_vel(N, u1 * N.x + u2 * N.y)
    body = RigidBody("skate", P, A, m, (inertia(A, 0, 0, k), P))
    method = KanesMethod(
        N, [x, y, phi], [u1, u3], [x.diff() - u1, y.diff() - u2, phi.diff() - u3], u_dependent=[u2],
        velocity_constraints=[u1 * sympy.sin(phi) - u2 * sympy.cos(phi)], bodies=[body],
        forcelist=[(P, -c * N.x)],
    )  # fmt: skip
    system = rt.from_sympy(method)
    assert system.is_holonomic == (False,)
    by_hand = LagrangesMethod(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 + k * phi.diff() ** 2 / 2 - c * x, [x, y, phi],
        nonhol_coneqs=[x.diff() * sympy.sin(phi) - y.diff() * sympy.cos(phi)],
    )  # fmt: skip
    at = ({"m": 1.3, "k": 4.0, "c": 0.2}, [0.1, 0.2, 0.5], [np.cos(0.5), np.sin(0.5), 0.3])
    expected = rt.dynamics(rt.from_sympy(by_hand), *at).a
    np.testing.assert_allclose(rt.dynamics(system, *at).a, expected, rtol=1e-12, atol=1e-13)


def test_constraints_built_into_velocities_are_refused():
    """A skate whose velocity was written along its blade already: it is no rate of a place."""
    s, phi, u1, u2 = dynamicsymbols("s phi u1 u2")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [phi, N.z])
    A.set_ang_vel(N, u2 * N.z)
    P = Point("P")
    P.set_vel(N, u1 * A.x + l * u2 * A.y)
    body = RigidBody("skate", P, A, m, (inertia(A, 0, 0, k), P))
    kinematic = [s.diff() - u1, phi.diff() - u2]
    method = KanesMethod(N, [s, phi], [u1, u2], kinematic, bodies=[body])
    with pytest.raises(rt.DeclarationError, match="Lagrange's equations of its bodies are not Kane's"):
        rt.from_sympy(method)


def test_what_is_missing_is_said():
    q, r, u = dynamicsymbols("q r u")
    N, P = ReferenceFrame("N"), Point("P")
    P.set_vel(N, u * N.x)
    with pytest.raises(rt.DeclarationError, match="Got a Symbol"):
        rt.from_sympy(m)
    with pytest.raises(rt.DeclarationError, match="must know its bodies"):
        rt.from_sympy(KanesMethod(N, [q], [u], [q.diff() - u]))
    few = KanesMethod(N, [q, r], [u], [q.diff() - u, r.diff() - u], bodies=[Particle("a", P, m)])
    with pytest.raises(rt.DeclarationError, match="Got 2 coordinates and 1 speeds"):
        rt.from_sympy(few)
    with pytest.raises(rt.DeclarationError, match="no inertial frame"):
        rt.from_sympy(LagrangesMethod(m * q.diff() ** 2, [q], forcelist=[(P, N.x)]))
