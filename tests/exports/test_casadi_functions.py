"""Functions of CasADi: every form against `dynamics`, `simulate` and each other, on ten systems."""

from __future__ import annotations

import casadi
import numpy as np
import pytest

import routh as rt
from routh import cos, ddt
from routh.language.walk import unfold
from ten_systems import SOME, ten

HELD = ["cartesian_pendulum", "rolling_disc", "kite"]


def at(name, seed=0):
    """A point where functions are compared: t, x, u and p, constraints being held or not."""
    given = ten(name)
    random = np.random.default_rng(seed)
    system = given.system
    function = rt.casadi_function(system, values=given.values)
    n, signals = len(system.coordinates), function.size1_in("u")
    start = [given.start.get(str(s), 0.0) for s in (*system.coordinates, *system.velocities)]
    x = np.array(start) + 0.1 * random.normal(size=2 * n)
    p = [float(given.values[q.name]) for q in system.parameters]
    u = random.normal(size=signals) + (5.0 if name == "kite" else 0.0)
    return given, function, (0.3, x, u, np.array(p))


def by_dynamics(given, function, point):
    """x' and the multipliers by the verb that knows nothing of exports."""
    t, x, u, _ = point
    n = len(given.system.coordinates)
    used = contained(given.system, function)
    inputs = dict(zip(used, u, strict=True))
    found = rt.dynamics(given.system, given.values, x[:n], x[n:], inputs=inputs, time=t)
    return np.concatenate([x[n:], found.a]), found.multipliers


def contained(system, function):
    """The signals of `u`, told apart by what each does alone."""
    if function.size1_in("u") == len(system.signals):
        return list(system.signals)
    return {"F": ["F"], "U": ["U"], "length": ["length", "length'", "length''", "roll"]}[
        str(system.inputs[0])
    ]


@pytest.mark.parametrize("name", SOME)
def test_the_explicit_form_is_that_of_dynamics(name):
    given, function, point = at(name)
    found = [np.array(each).ravel() for each in function.call(point)]
    rate, multipliers = by_dynamics(given, function, point)
    np.testing.assert_allclose(found[0], rate, rtol=1e-9, atol=1e-9 * np.abs(rate).max())
    if given.system.constraints:
        np.testing.assert_allclose(found[1], multipliers, rtol=1e-8)


@pytest.mark.parametrize("name", SOME)
def test_the_residual_is_zero_where_the_explicit_form_is(name):
    given, function, (t, x, u, p) = at(name)
    found = function(t=t, x=x, u=u, p=p)
    n = len(given.system.coordinates)
    z = casadi.vertcat(found["rate"][n:], found.get("multipliers", []))
    implicit = rt.casadi_function(given.system, form="index 1", values=given.values)
    other = implicit(t=t, x=x, z=z, u=u, p=p)
    size = 1 + float(casadi.norm_inf(implicit(t=t, x=x, z=0, u=u, p=p)["residual"]))
    assert float(casadi.norm_inf(other["residual"])) < 1e-9 * size
    np.testing.assert_allclose(other["rate"], found["rate"], atol=0)


@pytest.mark.parametrize("name", HELD)
def test_forms_with_constraints_agree(name):
    given, function, (t, x, u, p) = at(name)
    found = function(t=t, x=x, u=u, p=p)
    n = len(given.system.coordinates)
    third = rt.casadi_function(given.system, form="index 3")
    rest = third(t=t, x=x, rate=found["rate"], z=found["multipliers"], u=u, p=p)["residual"]
    size = 1 + float(casadi.norm_inf(third(t=t, x=x, rate=0, z=0, u=u, p=p)["residual"]))
    held = found["phi"] if given.system.is_holonomic[0] else found["phi_rate"]
    assert float(casadi.norm_inf(rest[: 2 * n])) < 1e-9 * size
    np.testing.assert_allclose(rest[2 * n :], held, rtol=1e-12)
    stable = rt.casadi_function(given.system, form="stabilized")
    z = casadi.vertcat(found["rate"][n:], found["multipliers"])
    pulled = stable(t=t, x=x, z=z, u=u, p=p, gains=[3.0, 5.0])["residual"][n:]
    pull = 2 * 3.0 * found["phi_rate"]
    pull = pull + 25.0 * found["phi"] if given.system.is_holonomic[0] else pull
    np.testing.assert_allclose(pulled, pull, rtol=1e-9, atol=1e-9 * size)


@pytest.mark.parametrize("name", ["double_pendulum", "dc_motor", "kite", "rotating_table"])
def test_the_canonical_form_is_the_rate_of_momenta(name):
    """p = L_v along a motion: its difference in time is what the function gives."""
    given, _, (t, x, u, p) = at(name)
    system, n = given.system, len(given.system.coordinates)
    u = np.where(np.arange(len(u)) > 0, 0.0, u) if name == "kite" else u  # inputs are constants here
    function = rt.casadi_function(system, form="canonical")
    explicit = rt.casadi_function(system)

    def momenta(time, x):
        slopes = [rt.diff(sum(system.lagrangian_terms), v) for v in system.velocities]
        numbers = dict(zip(system.parameters, p, strict=True)) | {rt.t: time}
        numbers |= dict(zip((*system.coordinates, *system.velocities), x, strict=True))
        return np.array([float(unfold(e).xreplace(numbers)) for e in slopes])

    x_dot = np.array(explicit(t=t, x=x, u=u, p=p)["rate"]).ravel()
    h = 1e-5
    rise = (momenta(t + h, x + h * x_dot) - momenta(t - h, x - h * x_dot)) / (2 * h)
    state = np.concatenate([x[:n], momenta(t, x)])
    found = np.array(function(t=t, x=state, u=u, p=p)["rate"]).ravel()
    np.testing.assert_allclose(found[:n], x[n:], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found[n:], rise, rtol=1e-6, atol=1e-6 * np.abs(rise).max())


@pytest.mark.parametrize("form", ["explicit", "index 1", "stabilized", "index 3", "canonical"])
def test_derivatives_are_those_of_differences(form):
    given, _, (t, x, u, p) = at("cartesian_pendulum")
    plain = rt.casadi_function(given.system, form=form)
    function = rt.casadi_function(given.system, form=form, derivatives=True)
    random = np.random.default_rng(1)
    point = {"t": t, "x": x, "u": u, "p": p}
    point = {
        key: point.get(key, random.normal(size=function.size1_in(key))) for key in function.name_in()
    }
    found, h = function(**point), 1e-6
    for argument in ("x", "p"):
        for result in plain.name_out():
            slopes = np.array(found[f"jac_{result}_{argument}"])
            for k in range(len(point[argument])):
                step = h * np.eye(len(point[argument]))[k]
                ahead, behind = (
                    np.array(plain(**{**point, argument: point[argument] + s * step})[result]).ravel()
                    for s in (1, -1)
                )
                np.testing.assert_allclose(slopes[:, k], (ahead - behind) / (2 * h), atol=1e-6)


def test_a_saved_function_is_read_by_casadi_alone(tmp_path):
    _, function, point = at("kite")
    function.save(str(tmp_path / "kite.casadi"))
    again = casadi.Function.load(str(tmp_path / "kite.casadi"))
    assert again.name_in() == ["t", "x", "u", "p"]
    for one, other in zip(again.call(point), function.call(point), strict=True):
        np.testing.assert_array_equal(one, other)


def test_laws_stand_in_the_place_of_inputs():
    given = ten("cart_pole")
    x, theta = given.system.coordinates
    closed = rt.casadi_function(given.system, inputs={"F": 3 * theta - 2 * ddt(x)})
    open_ = rt.casadi_function(given.system)
    state, p = np.array([0.1, 0.2, 0.3, 0.4]), [9.81, 0.5, 0.1, 1.0]
    assert closed.size1_in("u") == 0
    one = closed(0, state, [], p)
    np.testing.assert_allclose(one, open_(0, state, 3 * 0.2 - 2 * 0.3, p), rtol=1e-14)
    constant = rt.casadi_function(given.system, inputs={"F": 1.5})
    np.testing.assert_allclose(constant(0, state, [], p), open_(0, state, 1.5, p), rtol=1e-14)


def test_a_base_that_moves_acts_by_its_acceleration():
    x, b, m = rt.coordinate("x"), rt.input("b"), rt.parameter("m")
    system = rt.System(kinetic=m * (ddt(x) + ddt(b)) ** 2 / 2, potential=x**2 / 2, name="shaken")
    function = rt.casadi_function(system)
    assert function.size1_in("u") == 2  # b' in the energy, b'' in the equations
    np.testing.assert_allclose(function(0, [0.0, 0], [7.0, 3.0], [2.0]), [[0], [-3.0]])
    swung = rt.casadi_function(system, inputs={b: rt.t**2 * m})
    np.testing.assert_allclose(swung(1.0, [0.0, 0], [], [2.0]), [[0], [-4.0]])


def test_what_has_no_one_form_is_refused():
    theta, F = rt.coordinate("theta"), rt.input("F")
    swing = rt.System(
        kinetic=ddt(theta) ** 2 / 2, potential=-cos(theta), forces={theta: F}, name="swing"
    )
    with pytest.raises(rt.DeclarationError, match="Did you mean `index 1`"):
        rt.casadi_function(swing, form="index1")
    with pytest.raises(rt.DeclarationError, match=r"`swing` has none\. Take"):
        rt.casadi_function(swing, form="index 3")
    with pytest.raises(rt.DeclarationError, match="cannot take a Python function along, and `F`"):
        rt.casadi_function(swing, inputs={F: lambda t: t})
    with pytest.raises(rt.DeclarationError, match="Got 'a b'"):
        rt.casadi_function(swing, name="a b")
    with pytest.raises(rt.DeclarationError, match="must be one number"):
        rt.casadi_function(swing, inputs={F: [1.0, 2.0]})
    rubbing = rt.System(kinetic=ddt(theta) ** 2 / 2, friction=rt.friction(ddt(theta), static=1))
    with pytest.raises(rt.DeclarationError, match=r"regularized\(0.01\).*phase\(1\)"):
        rt.casadi_function(rubbing)
    s = rt.space("s", 0, 1)
    w = rt.field("w", over=s)
    string = rt.System(
        kinetic=rt.integral(ddt(w) ** 2, s), potential=rt.integral(rt.diff(w, s) ** 2, s)
    )
    with pytest.raises(rt.DeclarationError, match="Make coordinates of them first"):
        rt.casadi_function(string)
    with pytest.raises(rt.DeclarationError, match="`values` lacks `c`, `EI`, `g` and `rho`"):
        rt.casadi_function(ten("beam").system)
    with pytest.raises(rt.DeclarationError, match="Got a float"):
        rt.casadi_function(1.0)


def test_friction_that_depends_on_a_reaction_makes_the_saddle_unsymmetric():
    """A block pressed against the floor by its weight: mu m g against its motion."""
    x, y = rt.coordinates("x y")
    m, mu = rt.parameters("m mu")
    floor = y
    system = rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=9.81 * m * y,
        constraints=[floor],
        forces={x: -mu * rt.reaction(floor)},
    )
    found = rt.casadi_function(system)(t=0, x=[0, 0, 1, 0], u=[], p=[2.0, 0.5])
    np.testing.assert_allclose(found["rate"], [[1], [0], [-0.5 * 9.81], [0]], atol=1e-12)
