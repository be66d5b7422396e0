"""Special points closer to each other than a step, gaps closer than rounding lets a step see, rolling.

The values of the parameter at which something happens are known in closed form.
"""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from depth import draws
from rolling import DISC, disc, sleigh
from routh import cos, ddt, norm2, sin, vector

lam = rt.parameter("lam")


def summary(branch):
    return [(p.kind.name, p.value) for p in branch.points]


IMPERFECT = [1e-4, 1e-8, 1e-11, 1e-14, -1e-14]
UNITS = [(1e-9, 0.0), (1e6, 0.0), (1.0, 1.0)]


@pytest.mark.parametrize(
    ("length", "at", "eps"),
    [
        *((1.0, 0.0, eps) for eps in IMPERFECT),
        *((*unit, 1e-14) for unit in UNITS),
        *(
            pytest.param(*unit, eps, marks=pytest.mark.slow)
            for unit in UNITS
            for eps in IMPERFECT
            if eps != 1e-14
        ),
    ],
)
def test_an_imperfect_pitchfork_is_followed_round_its_bend(length, at, eps):
    """z^3 - lam z + eps = 0: the branch bends to -sign(eps) sqrt(lam), in any unit and place."""
    x, e = rt.coordinate("x"), rt.parameter("e")
    z = (x - at) / length
    system = rt.System(kinetic=ddt(z) ** 2 / 2, potential=z**4 / 4 - lam * z**2 / 2 + e * z)
    start = rt.equilibrium(system, {"e": eps, "lam": -1.0}, guess={x: at - length * eps})
    branch = rt.follow(start, lam, 1)
    z = (branch.q[:, 0] - at) / length
    np.testing.assert_allclose(z**3 - branch.at * z + eps, 0, atol=1e-14)  # some roundings of one
    assert branch.ended == "It reached lam = 1, the end of the range."
    assert z[-1] == pytest.approx(-np.sign(eps), abs=abs(eps) + 1e-12)
    assert not branch.points
    assert (np.diff(np.sort(np.abs(z))) < 0.1).all()  # no jump


def test_two_imperfect_pitchforks_at_one_load():
    """The number of negative directions changes by two, no sign of a determinant does."""
    x, y = rt.coordinates("x y")
    e = 1e-10
    V = (x**4 + y**4) / 4 - lam * (x**2 + y**2) / 2 + e * (x + 2 * y)
    system = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=V)
    branch = rt.follow(rt.equilibrium(system, {"lam": -1.0}), lam, 1)
    assert not branch.points
    np.testing.assert_allclose(branch.q[-1], [-1, -1], atol=1e-9)


@pytest.mark.slow
def test_a_state_that_is_alone_is_no_family_and_the_elastica_switches():
    s = rt.space("s", 0, 1)
    th, P = rt.field("theta", s), rt.parameter("P")
    column = rt.System(
        kinetic=rt.integral(ddt(th) ** 2 / 2, s),
        potential=rt.integral(rt.diff(th, s) ** 2 / 2, s) + P * rt.integral(cos(th), s),
        constraints=[rt.integral(sin(th), s)],
    )
    small = rt.discretize(column, {th: 4})
    straight = rt.follow(rt.equilibrium(small, {"P": 5.0}), P, 12.0)
    (point,) = straight.points
    assert point.value == pytest.approx(np.pi**2, rel=1e-3)
    buckled = straight.switch(point)
    assert len(buckled) < 500
    # P / P_E = 1 + a^2 / 8 + ... for the angle a at the end, by the expansion of K(sin(a/2))
    ends = np.abs(buckled.rest.field(th, [0.0])[:, 0])
    near = (ends > 0.1) & (ends < 0.4)
    assert near.any()
    np.testing.assert_allclose(
        buckled.at[near] / point.value, 1 + ends[near] ** 2 / 8, atol=2 * 0.4**4 / 100
    )
    bent = rt.equilibrium(rt.discretize(column, {th: 6}), {"P": 10.5}, guess={th: 0.8 * cos(rt.pi * s)})
    assert rt.follow(bent, P, 12.0).at[-1] == 12


def test_a_family_is_still_refused():
    x, y = rt.coordinates("x y")
    k = rt.parameter("k")
    ring = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=k * ((x / 1e-6) ** 2 + y**2 - 1) ** 2 / 4
    )
    with pytest.raises(rt.SolveError, match="belongs to a family"):
        rt.follow(rt.equilibrium(ring, {"k": 1}, guess={x: 0.5e-6, y: 0.5}), "k", 2)


def systems(generator, distance, n=3):
    """Systems with n coupled modes in random units, with a pair of special points each."""
    centre = generator.uniform(-0.8, 0.8)
    unit = 10.0 ** generator.integers(-6, 7)
    lengths = 10.0 ** generator.integers(-5, 6, n)
    q = rt.coordinates(" ".join(f"q{k}" for k in range(n)))
    Q = np.linalg.qr(generator.standard_normal((n, n)))[0]
    e = [sum(Q[i, j] * q[j] / lengths[j] for j in range(n)) for i in range(n)]
    low, high = centre - distance, centre + distance
    load = lam / unit
    f = (load - low) * (load - high) * (1 + 0.3 * load)

    def forces(on):
        return {q[j]: sum(Q[i, j] * on[i] for i in range(n)) / lengths[j] for j in range(n)}

    T = sum(ddt(x) ** 2 for x in e) / 2
    V = sum((2 + k) * x**2 for k, x in enumerate(e[1:])) / 2
    quartic = sum(x**4 for x in e) / 4
    damped = [-0.05 * ddt(x) for x in e[1:]]
    follower = forces([distance / 2 * e[1], -distance / 2 * e[0], *([0] * (n - 2))])
    soft = e[0] ** 2 + (1 + (load - centre) / 4) * e[1] ** 2
    cases = {
        "BRANCH": {"kinetic": T, "potential": V + f * e[0] ** 2 / 2 + quartic},
        "HOPF": {
            "kinetic": T,
            "potential": V + e[0] ** 2 / 2,
            "forces": forces([-f * ddt(e[0]), *damped]),
        },
        "FLUTTER": {
            "kinetic": T,
            "potential": soft / 2 + sum((4 + k) * x**2 for k, x in enumerate(e[2:])) / 2,
            "forces": follower,
        },
    }
    wanted = {"FLUTTER": [centre - 4 * distance, centre + 4 * distance]}
    for kind, parts in cases.items():
        values = [v for v in wanted.get(kind, [low, high]) if abs(v) < 1]
        yield kind, rt.System(**parts), unit, values


def pairs_are_found(seed, n=3):
    generator = np.random.default_rng(seed)
    distance = 10 ** generator.uniform(-5, -1.2)
    for kind, system, unit, values in systems(generator, distance, n):
        branch = rt.follow(rt.equilibrium(system, {"lam": -unit}), lam, unit)
        assert [p.kind.name for p in branch.points] == [kind] * len(values), (seed, kind)
        found = [p.value / unit for p in branch.points]
        np.testing.assert_allclose(found, values, atol=1e-7, err_msg=f"{seed} {kind}")


@pytest.mark.slow
def test_pairs_of_points_within_a_step_are_found_in_any_units():
    for seed in range(draws(1, 2)):
        pairs_are_found(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_many_pairs_of_points_within_a_step(seed):
    pairs_are_found(seed, n=2 + seed % 4)


@pytest.mark.parametrize("distance", [1e-1, 1e-3, 1e-5])
@pytest.mark.parametrize("unit", [1.0, 1e6])
def test_two_folds_close_to_each_other(distance, unit):
    """lam = z^3 / 3 - d^2 z has folds at z = -d and d."""
    x = rt.coordinate("x")
    z = x / unit
    curve = (z - 0.2) ** 3 / 3 - distance**2 * (z - 0.2)
    system = rt.System(kinetic=ddt(z) ** 2 / 2, forces={x: (lam - curve) / unit})
    start = rt.equilibrium(system, {"lam": float(curve.subs(x, -unit))}, guess={x: -unit})
    branch = rt.follow(start, lam, float(curve.subs(x, unit)))
    assert [p.kind.name for p in branch.points] == ["FOLD", "FOLD"]
    places = [p.rest.q[0] / unit for p in branch.points]
    np.testing.assert_allclose(places, [0.2 - distance, 0.2 + distance], atol=distance / 100)


def test_what_only_comes_near_zero_is_no_pair():
    x, y = rt.coordinates("x y")
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    near = (lam - 0.123) ** 2 + 1e-8
    still = rt.System(kinetic=T, potential=near * x**2 / 2 + y**2 + x**4 / 4)
    assert not rt.follow(rt.equilibrium(still, {"lam": -1.0}), lam, 1).points
    drag = {x: -near * ddt(x), y: -ddt(y)}
    damped = rt.System(kinetic=T, potential=x**2 + y**2, forces=drag)
    assert not rt.follow(rt.equilibrium(damped, {"lam": -1.0}), lam, 1).points
    crossing = rt.System(kinetic=T, potential=x**2 + (1.123 + lam) * y**2 / 2 + y**2 / 2)
    assert not rt.follow(rt.equilibrium(crossing, {"lam": -1.0}), lam, 1).points


@pytest.mark.slow
def test_a_disc_is_followed_in_its_speed():
    """Upright it is stable above v^2 = g R / 3."""
    rolling = rt.equilibrium(disc(), DISC, speeds={"x": 0.5, "phi": 1.0})
    x = rolling.system.coordinates[0]
    faster = rt.follow(rolling, ddt(x), 3.0)
    (point,) = faster.points
    assert point.kind is rt.Kind.CHANGE
    assert point.value == pytest.approx(np.sqrt(9.81 * 0.5 / 3), rel=1e-7)
    np.testing.assert_allclose(faster.rest.v[:, 4], faster.at / 0.5, rtol=1e-12)  # it rolls
    stable = np.array([v is rt.Verdict.STABLE for v in faster.stability.verdict])
    np.testing.assert_array_equal(stable, faster.at > point.value)


@pytest.mark.slow
def test_a_disc_is_followed_in_its_radius():
    rolling = rt.equilibrium(disc(), DISC, speeds={"x": 0.5, "phi": 1.0})
    larger = rt.follow(rolling, "R", 5.0)
    (point,) = larger.points
    assert point.value == pytest.approx(9.81 / 3, rel=1e-7)  # v = R phi'
    np.testing.assert_allclose(larger.rest.v[:, 0], larger.at, rtol=1e-12)
    np.testing.assert_allclose(larger.rest.v[:, 4], 1)


def test_a_sleigh_is_followed_whichever_way_it_heads():
    """Stable with its mass ahead: the eigenvalue is -m a v / (I + m a^2)."""
    values = {"m": 1.0, "I": 0.2, "a": 0.3}
    heading = np.arctan2(0.8, 0.6)
    gliding = rt.equilibrium(sleigh(), values, guess={"psi": heading}, speeds={"x": 0.6, "y": 0.8})
    branch = rt.follow(gliding, "a", -0.2)
    (point,) = branch.points
    assert point.value == pytest.approx(0, abs=1e-8)
    beyond = np.abs(branch.at) > 0.01
    a = branch.at[beyond]
    expected = -a / (0.2 + a**2)
    found = branch.modes.eigenvalues.real[beyond]
    np.testing.assert_allclose(np.abs(found - expected[:, None]).min(axis=1), 0, atol=1e-9)


@pytest.mark.slow
def test_a_spring_on_a_blade_buckles():
    X, Y, P = rt.coordinates("X Y P")
    k = rt.parameter("k")
    T = norm2(ddt(vector(X, Y) + 0.3 * vector(cos(P), sin(P)))) / 2 + 0.1 * ddt(P) ** 2
    blade = rt.System(
        kinetic=T,
        potential=k * X**2 / 2 + X**4 / 4 + P**2 / 2,
        dissipation=ddt(P) ** 2 / 2,
        constraints=[ddt(Y) * cos(P) - ddt(X) * sin(P)],
    )
    branch = rt.follow(rt.equilibrium(blade, {"k": 1}), k, -1)
    assert summary(branch) == [("BRANCH", pytest.approx(0, abs=1e-9))]


@pytest.mark.parametrize(("length", "angle"), [(1.0, 1.0), (1e-12, 1.0), (1e9, 1e-6), (1e4, 1e-6)])
@pytest.mark.parametrize("k", [-1.0, 1.0])
def test_verdicts_on_a_blade_do_not_depend_on_units(length, angle, k):
    """A spring along the blade, of either sign, is never taken for a place that does not matter."""
    X, Y, P = rt.coordinates("X Y P")
    x, y, psi = X / length, Y / length, P / angle
    T = norm2(ddt(vector(x, y) + 0.3 * vector(cos(psi), sin(psi)))) / 2 + 0.1 * ddt(psi) ** 2
    blade = rt.System(
        kinetic=T,
        potential=k * x**2 / 2 + psi**2 / 2,
        dissipation=ddt(psi) ** 2 / 2,
        constraints=[ddt(y) * cos(psi) - ddt(x) * sin(psi)],
    )
    found = rt.stability(rt.linearize(rt.equilibrium(blade, {})))
    assert found.verdict is (rt.Verdict.UNSTABLE if k < 0 else rt.Verdict.STABLE)
    # along the blade s^2 = -k, about it (0.09 + 0.2) s^2 + s + 1 = 0
    expected = np.concatenate([np.roots([1, 0, k]), np.roots([0.29, 1, 1])])
    far = np.abs(found.eigenvalues[:, None] - expected[None, :])
    assert far.min(axis=0).max() < 1e-9


@pytest.mark.parametrize(
    ("R", "heading"),
    [
        (1e-3, 0.7),
        pytest.param(0.5, 0.0, marks=pytest.mark.slow),
        pytest.param(200.0, -2.2, marks=pytest.mark.slow),
    ],
)
def test_verdicts_on_a_disc_do_not_flicker(R, heading):
    edge = np.sqrt(9.81 * R / 3)
    v = edge * np.geomspace(0.03, 30, draws(20, 60))
    speeds = {"x": v * np.cos(heading), "y": v * np.sin(heading), "phi": v / R}
    speeds = speeds if heading else {"x": v, "phi": v / R}
    rolling = rt.equilibrium(disc(), DISC | {"R": R}, guess={"psi": heading}, speeds=speeds)
    verdicts = rt.stability(rt.linearize(rolling)).verdict
    expected = np.where(v > edge, rt.Verdict.STABLE, rt.Verdict.UNSTABLE)
    assert (verdicts == expected).all()


@pytest.mark.slow
@pytest.mark.parametrize("heading", [0.0, 0.7])
def test_verdicts_on_a_carriage_with_a_castor_do_not_flicker(heading):
    """A spring holds the castor, of which it leaves (I + ...) d'' + ... : stable at every speed."""
    x, y, psi, d = rt.coordinates("x y psi delta")
    blade = vector(cos(psi), sin(psi))
    wheel = vector(x, y) + blade - 0.1 * vector(cos(psi + d), sin(psi + d))
    T = norm2(ddt(vector(x, y) + 0.4 * blade)) / 2 + 0.15 * ddt(psi) ** 2 + 0.01 * ddt(psi + d) ** 2
    carriage = rt.System(
        kinetic=T,
        potential=d**2,
        constraints=[
            ddt(y) * cos(psi) - ddt(x) * sin(psi),
            ddt(wheel)[1] * cos(psi + d) - ddt(wheel)[0] * sin(psi + d),
        ],
    )
    v = np.geomspace(0.01, 100, draws(20, 60))
    speeds = {x: v * np.cos(heading), y: v * np.sin(heading)} if heading else {x: v}
    rolling = rt.equilibrium(carriage, {}, guess={psi: heading}, speeds=speeds)
    reasons = rt.stability(rt.linearize(rolling)).reason
    assert len({reason.name for reason in reasons}) == 1
    assert reasons[0].verdict is rt.Verdict.STABLE


def test_eigenvalues_of_one_size_are_never_taken_twice():
    from routh.numerics.spectra.pairs import merged

    generator = np.random.default_rng(5)
    for _ in range(300):
        s = generator.uniform(50, 100)
        exact = np.array([s, -s])
        noisy = [exact * (1 + 1e-15 * generator.standard_normal(2)) for _ in range(2)]
        np.testing.assert_allclose(np.sort(merged(*noisy)), [-s, s])
    graded = np.array([1e-9, 1.0, 1e9])
    large = graded * np.array([1 + 0.5, 1 + 1e-7, 1])
    np.testing.assert_allclose(
        np.sort(merged(large, graded * np.array([1, 1, 1.5]))), graded, rtol=1e-6
    )
