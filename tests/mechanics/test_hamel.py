"""Quasi-velocities three ways: Gibbs and Appell, Boltzmann and Hamel, Kane, each against the kernel."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import routh as rt
from holding import check
from routh import cos, ddt, dot, sin, t
from routh.language.evaluation import Evaluation
from routh.mechanics.forms.vanish import vanishes
from routh.mechanics.transforms.attitudes import attitudes


def numbers(matrix, here):
    at = Evaluation(here, 30)
    return np.array([[float(at(e)) for e in row] for row in matrix.tolist()])


def check_motion(system, quasi, start, values, seed=0):
    """Both forms give the rates of u that equations with multipliers give, at a state that is met."""
    found = rt.gibbs_appell(system, quasi, simplify=0)
    draw = np.random.default_rng(seed)
    here = {s: values[s.name] for s in system.parameters} | {q: start[q] for q in system.coordinates}
    here |= {t: 0.0} | {u: draw.uniform(-1, 1) for u in found.quasi}
    v = numbers(found.velocities, here)[:, 0]
    here |= dict(zip(system.velocities, v, strict=True))
    moving = rt.dynamics(system, values, start, dict(zip(system.coordinates, v, strict=True)))
    rates = dict(zip([x.rate for x in system.velocities], np.ravel(moving.a), strict=True))
    wanted = [float(Evaluation(here | rates, 30)(ddt(e))) for e in found.definitions.values()]
    still = {u.rate: 0.0 for u in found.quasi}
    for residual in (found.residual, found.hamel.residual):
        M = np.array([numbers(residual.diff(u.rate), here | still)[:, 0] for u in found.quasi]).T
        rest = numbers(residual, here | still)[:, 0]
        assert np.linalg.solve(M, -rest) == pytest.approx(wanted, rel=1e-8, abs=1e-9)
    return found


def random_system(seed):
    """Three coordinates, one or two velocity constraints with positions and time in them."""
    draw = np.random.default_rng(seed)
    q = rt.coordinates("q0 q1 q2")
    v = [ddt(x) for x in q]

    def smooth(*symbols):
        inner = sum((sympy.Rational(int(draw.integers(-8, 9)), 8) * s for s in symbols), sympy.S.Zero)
        return (sin(inner), cos(inner), inner)[int(draw.integers(3))]

    held = int(draw.integers(1, 3))
    system = rt.System(
        kinetic=sum((1 + smooth(*q) ** 2) * x**2 for x in v) / 2 + smooth(*q) * v[0] * v[2] / 4,
        potential=smooth(*q, t),
        dissipation=v[1] ** 2 / 8,
        forces={q[0]: smooth(*q, *v)},
        constraints=[v[k] - smooth(*q, t) * v[2] - smooth(*q, t) for k in range(held)],
    )
    free = {"u": 2 * v[2] + smooth(*q, t) / 4 * v[0], "w": v[1] + q[0] * v[2] / 3}
    return system, dict(list(free.items())[: 3 - held])


@pytest.mark.parametrize("seed", range(4))
def test_random_velocity_constraints_give_one_motion(seed):
    system, quasi = random_system(seed)
    start = dict(zip(system.coordinates, (0.3, -0.4, 0.5), strict=True))
    check_motion(system, quasi, start, {}, seed)


def ball(R, k, r, Omega=0, offset=0):
    """A ball on a plate that turns, its centre of mass off its middle."""
    x, y, m, g = *rt.coordinates("x y"), *rt.parameters("m g")
    w = rt.angular_velocity(R, "space")
    arm = R @ rt.vector(0, 0, offset)
    centre = rt.vector(x, y, r) + arm
    moving = rt.vector(ddt(x), ddt(y), 0) + rt.cross(w, arm)
    return rt.System(
        kinetic=m / 2 * dot(moving, moving) + k * m * r**2 / 2 * dot(w, w),
        potential=m * g * centre[2],
        constraints=[ddt(x) - r * w[1] + Omega * y, ddt(y) + r * w[0] - Omega * x, *R.constraints],
    ), dict(zip(("wx", "wy", "wz"), w, strict=True))  # fmt: skip


def somewhere(R):
    turn = rt.euler_angles("zxz", 0.3, 0.7, -0.4).evalf(20)
    return R.start(turn)


@pytest.mark.parametrize(
    "made", [pytest.param(rt.quaternion, marks=pytest.mark.slow), rt.rotation_matrix]
)
def test_an_unbalanced_ball_by_entries_and_by_a_quaternion(made):
    R = made("R" if made is rt.rotation_matrix else "e")
    k, r, c = rt.parameters("k r c")
    system, _ = ball(R, k, r, sympy.Rational(1, 2), c)
    x, y = system.coordinates[-2:]
    quasi = dict(zip(("w1", "w2", "w3"), rt.angular_velocity(R), strict=True))
    values = {"m": 1.5, "k": 0.4, "r": 0.3, "c": 0.1, "g": 9.81}
    check_motion(system, quasi, somewhere(R) | {x: 0.2, y: -0.1}, values)


@pytest.mark.parametrize("made", [rt.quaternion, rt.rotation_matrix])
def test_a_ball_on_a_turning_plate_in_words(made):
    """(1 + k) r wx' = Omega (r wy - Omega y): no coordinate of the rotation is left."""
    R = made("R" if made is rt.rotation_matrix else "e")
    k, r, Omega = rt.parameters("k r Omega")
    system, quasi = ball(R, k, r, Omega)
    found = rt.gibbs_appell(system, quasi)
    lines = str(found).splitlines()
    assert lines[1:4] == [
        "wx: (k + 1)*m*r**2*wx' + m*Omega*r*(Omega*y - r*wy) = 0",
        "wy: (k + 1)*m*r**2*wy' + m*Omega*r*(r*wx - Omega*x) = 0",
        "wz: k*m*r**2*wz' = 0",
    ]
    assert all(vanishes(a - b) for a, b in zip(found.residual, found.hamel.residual, strict=True))
    assert not found.hamel.is_integrable


def test_euler_s_equations_and_the_coefficients_of_a_free_body():
    """A w1' = (B - C) w2 w3 and so round; gamma^c_ab is the sign of the order a, b, c."""
    R, (A, B, C) = rt.rotation_matrix("R"), rt.parameters("A B C")
    w = rt.angular_velocity(R)
    body = rt.System(kinetic=(A * w[0] ** 2 + B * w[1] ** 2 + C * w[2] ** 2) / 2,
                     constraints=R.constraints)  # fmt: skip
    found = rt.gibbs_appell(body, {"w1": w[0], "w2": w[1], "w3": w[2]})
    w1, w2, w3 = found.quasi
    euler = [A * w1.rate - (B - C) * w2 * w3, B * w2.rate - (C - A) * w3 * w1,
             C * w3.rate - (A - B) * w1 * w2]  # fmt: skip
    for residual in (found.residual, found.hamel.residual):
        assert all(sympy.expand(a - b) == 0 for a, b in zip(residual, euler, strict=True))
    assert [(*at, e) for *at, e in found.hamel.coefficients()] == [
        (0, 1, 2, 1), (1, 0, 2, -1), (2, 0, 1, 1)]  # fmt: skip
    assert found.hamel.is_integrable


@pytest.mark.parametrize("made", [rt.quaternion, rt.rotation_matrix])
def test_lowest_forms_are_equal_for_every_rotation(made):
    R = made("R" if made is rt.rotation_matrix else "e")
    (own,) = attitudes(rt.System(kinetic=sum(ddt(q) ** 2 for q in R.coordinates),
                                 constraints=R.constraints))  # fmt: skip
    unit = sympy.Matrix(R.T) * sympy.Matrix(R)
    assert unit.applyfunc(own.lowered) == sympy.eye(3)
    assert own.lowered(sympy.Matrix(R).det()) == 1
    here = somewhere(R)
    e = (R[0, 1] + 2 * R[2, 0]) ** 3 * R[1, 1] - R[2, 2] * R[0, 0] ** 2
    at = Evaluation(here, 30)
    assert float(at(own.lowered(e))) == pytest.approx(float(at(e)), rel=1e-12)
    for k in range(3):  # the fields stay on the constraints
        rates = dict(zip([q.rate for q in R.coordinates], own.rates[:, k], strict=True))
        assert all(own.lowered(ddt(phi).xreplace(rates)) == 0 for phi in R.constraints)
        assert own.lowered(rt.angular_velocity(R)[k].xreplace(rates)) == 1


def test_kane_s_equations_of_two_masses_on_a_skate():
    """Partial velocities times (force - mass acceleration), mass by mass."""
    x, y, psi = rt.coordinates("x y psi")
    masses, (a, g) = rt.parameters("m1 m2"), rt.parameters("a g")
    points = [rt.vector(x + s * a * cos(psi), y + s * a * sin(psi)) for s in (1, 2)]
    system = rt.System(
        kinetic=sum(m * rt.norm2(ddt(r)) / 2 for m, r in zip(masses, points, strict=True)),
        potential=sum(m * g * r[1] for m, r in zip(masses, points, strict=True)),
        constraints=[ddt(x) * sin(psi) - ddt(y) * cos(psi)],
    )
    found = rt.gibbs_appell(system, {"u": ddt(x) * cos(psi) + ddt(y) * sin(psi), "w": ddt(psi)})
    known = dict(zip(system.velocities, found.velocities, strict=True))
    rates = {v.rate: ddt(e).xreplace(known) for v, e in known.items()}
    kane = sympy.zeros(2, 1)
    for m, r in zip(masses, points, strict=True):
        acceleration = sympy.Matrix(ddt(r, 2)).xreplace(rates).xreplace(known)
        kane += found.partial_velocities(ddt(r)).T * (m * acceleration - sympy.Matrix([0, -m * g]))
    assert all(vanishes(p - q) for p, q in zip(kane, found.residual, strict=True))
    with pytest.raises(rt.DeclarationError, match="`velocity` must be a vector that is linear"):
        found.partial_velocities(rt.vector(ddt(x) ** 2, 0))


def test_a_pendulum_held_by_its_length():
    x, y, l, g = *rt.coordinates("x y"), *rt.parameters("l g")
    rod = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=g * y,
                    constraints=[(x**2 + y**2 - l**2) / 2])  # fmt: skip
    start = {x: 2 * np.sin(0.5), y: -2 * np.cos(0.5)}
    found = check_motion(rod, {"u": ddt(x)}, start, {"l": 2.0, "g": 9.81})
    assert found.hamel.is_integrable
    assert "must meet it at the start" in str(rt.derive(found))


def test_the_chapter_on_boltzmann_and_hamel():
    x, y, psi, (m, J, a) = *rt.coordinates("x y psi"), rt.parameters("m J a")
    centre = rt.vector(x + a * cos(psi), y + a * sin(psi))
    sleigh = rt.System(kinetic=m * rt.norm2(ddt(centre)) / 2 + J * ddt(psi) ** 2 / 2,
                       potential=m * x, constraints=[ddt(x) * sin(psi) - ddt(y) * cos(psi)])  # fmt: skip
    found = rt.gibbs_appell(sleigh, {"u": ddt(x) * cos(psi) + ddt(y) * sin(psi), "w": ddt(psi)})
    chapter = rt.derive(found.hamel)
    here = {"m": 1.3, "J": 0.7, "a": 0.4, "x": 0.2, "y": 0.1, "psi": 0.6, "u": 0.9, "w": -0.5}
    known = dict(here)
    # velocities are u along the skate; a slip across it adds (sin psi, -cos psi) to them
    vx, vy = (here["u"] * f(here["psi"]) for f in (np.cos, np.sin))
    cx, cy = vx - 0.4 * here["w"] * np.sin(0.6), vy + 0.4 * here["w"] * np.cos(0.6)
    known["T"] = 0.65 * (cx**2 + cy**2) + 0.35 * here["w"] ** 2
    known["p3"] = 1.3 * (cx * np.sin(0.6) - cy * np.cos(0.6))
    known["dT/du"] = 1.3 * (cx * np.cos(0.6) + cy * np.sin(0.6))
    known["dT/dw"] = 1.3 * 0.4 * (cy * np.cos(0.6) - cx * np.sin(0.6)) + 0.7 * here["w"]
    assert check([f for section in chapter for f in section.formulas], known) == 4
    assert [f.text for f in chapter["Order of moves"].formulas][1:] == ["gamma^3_12 = 1"]
    assert [f.text for f in chapter["Equations of motion"].formulas][1:] == [
        "m*u' - m*a*w**2 = -m*cos(psi)", "(J + m*a**2)*w' + m*a*u*w = 0"]  # fmt: skip
    assert "do not all hold positions" in str(chapter)
