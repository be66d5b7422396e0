"""Every equilibrium in a box: the classical counts, families, symmetries, proofs."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

import problems
import routh as rt
from depth import cases
from routh import cos, ddt, sin
from routh.results import Reason

STABLE = rt.Verdict.STABLE


def near(found, q) -> int:
    """The place of the equilibrium at a position."""
    off = np.abs(found.box.apart(found.q, np.asarray(q, dtype=float))).max(axis=1)
    (place,) = np.flatnonzero(off < 1e-9)
    return int(place)


def test_double_pendulum_has_four():
    p = problems.double_pendulum()
    found = rt.equilibria(p.system, p.values)
    assert len(found) == 4
    assert found.saturated
    assert [str(v) for v in found.stability.verdict] == ["stable"] + ["unstable"] * 3
    assert found.index.tolist() == [0, 1, 1, 2]
    squares = {(0, 0): [6.13125, 24.525], (np.pi, 0): [-24.525, -6.13125],
               (np.pi, np.pi): [-9.57427068353414, 15.7055206835341],
               (0, np.pi): [-15.7055206835341, 9.57427068353414]}  # fmt: skip
    linear = rt.linearize(found.rest)
    for q, expected in squares.items():
        k = near(found, q)
        w2 = np.sort(np.linalg.eigvals(np.linalg.solve(linear.M[k], linear.K[k])))
        np.testing.assert_allclose(w2, expected, rtol=1e-12)


A3 = {
    (0, 0): [9.81, 45.81],
    (np.pi, np.pi): [-9.81, 26.19],
    (1.04424882443229, -1.04424882443229): [-44.2254, 28.6125],
    (-1.84678673766954, 1.84678673766954): [-33.3268, -16.3137],
    (0.894958663478276, 2.94855756986024): [-12.8499, 22.2630],
    (-2.94855756986024, -0.894958663478276): [-12.8499, 22.2630],
}


def test_coupled_pendulums_have_six_with_their_eigenvalues():
    p = problems.coupled_pendulums()
    found = rt.equilibria(p.system, p.values)
    assert len(found) == 6
    K = rt.linearize(found.rest).K
    for q, expected in A3.items():
        np.testing.assert_allclose(np.linalg.eigvalsh(K[near(found, q)]), expected, atol=5e-5)
    assert [v is STABLE for v in found.stability.verdict] == [True] + [False] * 5
    assert found.residual.max() < 1e-12


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_chain_has_two_to_the_n_and_one_is_stable(n):
    p = problems.pendulum_chain(n)
    found = rt.equilibria(p.system, p.values)
    assert len(found) == 2**n
    assert sum(v is STABLE for v in found.stability.verdict) == 1
    assert sorted(np.bincount(found.index)) == sorted(int(sympy.binomial(n, k)) for k in range(n + 1))


@pytest.mark.parametrize("masses", [(1, 2, 3), (1, 1, 1)])
def test_three_bodies_have_five_modulo_rotation(masses):
    p = problems.three_bodies()
    values = p.values | dict(zip(("m1", "m2", "m3"), masses, strict=True))
    found = rt.equilibria(p.system, values, within=dict.fromkeys(p.q, (-3, 3)))
    assert len(found) == 5
    assert found.dimension.tolist() == [1] * 5
    r = found.q.reshape(5, 3, 2)
    sides = np.linalg.norm(r - np.roll(r, 1, axis=1), axis=2)
    equilateral = np.ptp(sides, axis=1) < 1e-9
    assert equilateral.sum() == 2
    # Lagrange: Omega^2 side^3 = G (m1 + m2 + m3)
    np.testing.assert_allclose(sides[equilateral] ** 3, sum(masses), rtol=1e-10)
    (a, b), (c, d) = ((r[:, k] - r[:, 0]).T for k in (1, 2))
    area = a * d - b * c
    np.testing.assert_allclose(area[~equilateral], 0, atol=1e-10)
    assert np.prod(area[equilateral]) < 0  # the two are mirror images


def test_accelerated_pendulum_has_both():
    p = problems.accelerated_pendulum()
    found = rt.equilibria(p.system, p.values)
    np.testing.assert_allclose(
        found.q[:, 0], [0.296778873080397, 0.296778873080397 - np.pi], rtol=1e-12
    )
    assert [str(v) for v in found.stability.verdict] == ["stable", "unstable"]


def test_hanging_and_standing_in_cartesian_coordinates():
    x, y = rt.coordinates("x y")
    m, l, g = rt.parameters("m l g")
    bob = rt.System(
        kinetic=m / 2 * (ddt(x) ** 2 + ddt(y) ** 2),
        potential=m * g * y,
        constraints=[(x**2 + y**2 - l**2) / 2],
    )
    found = rt.equilibria(bob, {"m": 2, "l": 1.5, "g": 9.81}, within={x: (-2, 2), y: (-2, 2)})
    np.testing.assert_allclose(found.q, [[0, -1.5], [0, 1.5]], atol=1e-12)
    np.testing.assert_allclose(found.rest.multipliers[:, 0], [13.08, -13.08], rtol=1e-12)


def test_steady_motions_are_found_by_speed_and_by_momentum():
    p = problems.spherical_pendulum()
    Omega = 4.0
    by_speed = rt.equilibria(p.system, p.values, speeds={p.phi: Omega})
    tilt = np.arccos(9.81 / 1.2 / Omega**2)
    assert sorted(np.abs(by_speed.q[:2, 0])) == pytest.approx([tilt, tilt], rel=1e-12)
    momentum = by_speed[0].momenta[1]
    by_momentum = rt.equilibria(p.system, p.values, momenta={p.phi: momentum})
    np.testing.assert_allclose(np.abs(by_momentum.q[:, 0]), tilt, rtol=1e-12)
    np.testing.assert_allclose(by_momentum.rest.v[:, 1], Omega, rtol=1e-12)


def test_a_ring_of_equilibria_is_one_family():
    x, y = rt.coordinates("x y")
    k = rt.parameter("k")
    hat = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=k * (x**2 + y**2 - 1) ** 2 / 4)
    found = rt.equilibria(hat, {"k": 1}, within={x: (-2, 2), y: (-2, 2)})
    assert sorted(found.dimension.tolist()) == [0, 1]
    ring = int(np.argmax(found.dimension))
    assert np.linalg.norm(found.q[ring]) == pytest.approx(1, rel=1e-12)
    assert found.stability.reason[ring] is Reason.FREE
    assert found.index[1 - ring] == 2


def test_a_sphere_of_equilibria_is_one_family_of_dimension_two():
    q = rt.coordinates("x y z")
    shell = rt.System(
        kinetic=[ddt(x) ** 2 / 2 for x in q], potential=(sum(x**2 for x in q) - 1) ** 2 / 4
    )
    found = rt.equilibria(shell, {}, within=dict.fromkeys(q, (-1.5, 1.5)))
    assert sorted(found.dimension.tolist()) == [0, 2]


def test_two_rings_are_two_families():
    x, y = rt.coordinates("x y")
    r2 = x**2 + y**2
    gutter = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=(r2 - 1) ** 2 * (r2 - 4) ** 2 / 100
    )
    found = rt.equilibria(gutter, {}, within={x: (-3, 3), y: (-3, 3)})
    radii = np.linalg.norm(found.q, axis=1)
    # V' = 0 at r^2 = 1, 4 (minima), 5/2 (the crest between) and at the centre.
    np.testing.assert_allclose(np.sort(radii), [0, 1, np.sqrt(2.5), 2], atol=1e-9)
    assert found.dimension[np.argsort(radii)].tolist() == [0, 1, 1, 1]


def test_a_free_coordinate_is_a_family_and_not_searched():
    p = problems.crane_trolley()
    found = rt.equilibria(p.system, p.values)
    assert len(found) == 2
    assert found.q[:, 0].tolist() == [0, 0]


def test_declared_symmetries_count_as_one():
    p = problems.coupled_pendulums()
    mirror = {p.th1: -p.th2, p.th2: -p.th1}
    found = rt.equilibria(p.system, p.values, symmetries=[mirror])
    assert sorted(found.copies.tolist()) == [1, 1, 1, 1, 2]
    with pytest.raises(rt.DeclarationError, match="takes an equilibrium to a position that is none"):
        rt.equilibria(p.system, p.values, symmetries=[{p.th1: p.th1 + 1}])


def test_mirror_images_of_families_count_as_one():
    p = problems.three_bodies()
    mirror = {y: -y for y in p.q[1::2]}
    found = rt.equilibria(p.system, p.values, within=dict.fromkeys(p.q, (-3, 3)), symmetries=[mirror])
    assert sorted(found.copies.tolist()) == [1, 1, 1, 2]


def test_a_period_of_several_turns_is_recognized():
    theta = rt.coordinate("theta")
    half = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-cos(theta / 2))
    found = rt.equilibria(half, {})
    np.testing.assert_allclose(found.q[:, 0], [0, 2 * np.pi], atol=1e-12)
    assert found.box.period[0] == pytest.approx(4 * np.pi)


def test_a_range_narrower_than_a_turn_holds():
    p = problems.double_pendulum()
    found = rt.equilibria(p.system, p.values, within={p.th1: (-1, 1)})
    assert len(found) == 2
    assert np.abs(found.q[:, 0]).max() < 1e-12


def test_a_degenerate_minimum_is_one_and_undecided():
    x = rt.coordinate("x")
    found = rt.equilibria(rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**4), {}, within={x: (-1, 1)})
    assert len(found) == 1
    assert found.stability.reason[0] is Reason.DEGENERATE


def test_an_empty_box_is_an_empty_list():
    x = rt.coordinate("x")
    slope = rt.System(kinetic=ddt(x) ** 2 / 2, potential=2 * x + x**2)
    found = rt.equilibria(slope, {}, within={x: (0, 1)})
    assert len(found) == 0
    assert "no equilibrium in the box" in str(found)
    assert list(found) == []


def test_single_ones_can_be_taken_out_and_used():
    p = problems.double_pendulum()
    found = rt.equilibria(p.system, p.values)
    first = found[0]
    assert rt.modes(rt.linearize(first)).frequencies == pytest.approx(
        [2.476136102, 4.952272205], rel=1e-9
    )
    assert found[-1].q == pytest.approx(found.q[3])
    assert len(found[1:3]) == 2
    with pytest.raises(IndexError, match="number of equilibria"):
        found[4]


def test_what_shakes_has_none():
    theta = rt.coordinate("theta")
    shaken = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-cos(theta) + sin(rt.t) * theta)
    with pytest.raises(rt.NoEquilibrium, match="changes with time"):
        rt.equilibria(shaken, {}, within={theta: (-1, 1)})


def plane(potential, **more):
    x, y = rt.coordinates("x y")
    system = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=potential(x, y), **more)
    return x, y, system


def test_a_winding_family_is_one():
    x, y, system = plane(lambda x, y: (y - sin(5 * x)) ** 2)
    found = rt.equilibria(system, {}, within={x: (-3, 3), y: (-2, 2)})
    assert found.dimension.tolist() == [1]


@pytest.mark.slow
def test_two_rings_that_nearly_touch_are_two():
    a = sympy.Rational(105, 100)
    x, y, system = plane(lambda x, y: (((x - a) ** 2 + y**2 - 1) * ((x + a) ** 2 + y**2 - 1)) ** 2)
    found = rt.equilibria(system, {}, within={x: (-3, 3), y: (-3, 3)})
    assert sorted(found.dimension.tolist()) == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("potential", [lambda x, y: x**2 * y**2, lambda x, y: (x**2 - y**2) ** 2 / 4])
def test_lines_that_cross_are_two_families(potential):
    x, y, system = plane(potential)
    found = rt.equilibria(system, {}, within={x: (-1, 1), y: (-1, 1)})
    assert found.dimension.tolist() == [1, 1]


def test_a_degenerate_ring_is_one_family():
    x, y, system = plane(lambda x, y: (x**2 + y**2 - 1) ** 4)
    found = rt.equilibria(system, {}, within={x: (-2, 2), y: (-2, 2)}, starts=2048)
    assert sorted(found.dimension.tolist()) == [0, 1]


def test_redundant_constraints_add_no_dimension():
    x, y, z = rt.coordinates("x y z")
    T = (ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2
    ring = rt.System(kinetic=T, potential=(x**2 + y**2 - 1) ** 2 + z**2, constraints=[z, 2 * z])
    found = rt.equilibria(ring, {}, within={x: (-2, 2), y: (-2, 2), z: (-1, 1)})
    assert sorted(found.dimension.tolist()) == [0, 1]


def test_families_of_steady_motions_at_given_momentum():
    phi = rt.coordinate("phi")
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2 + (2 + x**2 + y**2) * ddt(phi) ** 2 / 2,
        potential=(x**2 + y**2) ** 2 / 4,
    )
    found = rt.equilibria(system, {}, momenta={phi: 4.0}, within={x: (-2, 2), y: (-2, 2)})
    assert sorted(found.dimension.tolist()) == [0, 1]


def test_steady_motions_far_from_zero_speed_are_found():
    """At momentum 3 there is x = 0 and, with rate 1, x = +-sqrt(2)."""
    x, phi = rt.coordinates("x phi")
    system = rt.System(kinetic=ddt(x) ** 2 / 2 + (1 + x**2) * ddt(phi) ** 2 / 2, potential=x**2 / 2)
    found = rt.equilibria(system, {}, momenta={phi: 3.0}, within={x: (-2, 2)})
    np.testing.assert_allclose(np.sort(found.q[:, 0]), [-np.sqrt(2), 0, np.sqrt(2)], atol=1e-12)


@pytest.mark.parametrize("stiffness", [1e-11, 1.0, 1e11])
def test_weak_forces_make_no_angle(stiffness):
    x = rt.coordinate("x")
    k = rt.parameter("k")
    system = rt.System(kinetic=1000 * ddt(x) ** 2 / 2, potential=k * (x - 100) ** 2 / 2)
    found = rt.equilibria(system, {"k": stiffness}, within={x: (90, 110)})
    assert found.q.tolist() == [[pytest.approx(100, rel=1e-12)]]
    with pytest.raises(rt.DeclarationError, match="`within` lacks `x`"):
        rt.equilibria(system, {"k": stiffness})


def test_tiny_coordinates_are_told_apart():
    x = rt.coordinate("x")
    well = rt.System(kinetic=ddt(x) ** 2 / 2, potential=1 / (x * 10**9) ** 12 - 2 / (x * 10**9) ** 6)
    found = rt.equilibria(well, {}, within={x: (0.5e-9, 5e-9)})
    assert found.q.tolist() == [[pytest.approx(1e-9, rel=1e-9)]]


def test_no_equilibrium_where_the_energy_does_not_exist():
    x = rt.coordinate("x")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=rt.log(x) + x)
    assert len(rt.equilibria(system, {}, within={x: (-3, 3)})) == 0


@pytest.mark.parametrize("power", [4, 6, 8])
def test_multiple_roots_are_found_however_flat(power):
    x = rt.coordinate("x")
    found = rt.equilibria(
        rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**power), {}, within={x: (-1, 1)}
    )
    assert found.q.shape == (1, 1)
    assert abs(found.q[0, 0]) < 1e-6


@pytest.mark.parametrize("stiffness", [lambda y: 2 + sin(y), lambda y: 1 + y**2, rt.exp])
def test_a_straight_family_with_changing_stiffness(stiffness):
    x, y, system = plane(lambda x, y: x**2 * stiffness(y))
    found = rt.equilibria(system, {}, within={x: (-1, 1), y: (-3, 3)})
    assert found.dimension.tolist() == [1]
    assert found.saturated


def test_everything_listed_balances():
    """Momenta that no tilt of the top can have near its poles leave nothing there."""
    p = problems.heavy_top()
    found = rt.equilibria(p.system, p.values, momenta={p.phi: 1.0, p.psi: 1.2}, starts=1024)
    assert len(found) == 2
    assert found.residual.max() < 1e-12
    np.testing.assert_allclose(found.rest.momenta[:, 1:], [[1, 1.2]] * 2, rtol=1e-10)


# -- Proofs --------------------------------------------------------------------------------------


def test_the_four_are_proven_to_be_all():
    p = problems.double_pendulum()
    found = rt.equilibria(p.system, p.values, certify=True)
    assert found.certificate.is_complete
    assert found.certificate.proven.all()
    assert len(found) == 4
    assert "Proven complete" in str(found)


@pytest.mark.slow
def test_the_six_are_proven_to_be_all_where_the_spring_has_a_direction():
    p = problems.coupled_pendulums()
    found = rt.equilibria(p.system, p.values, certify=True)
    assert found.certificate.is_complete
    assert found.certificate.proven.all()
    assert len(found.certificate.undecided) == 0
    # The spring has no length, and its force no direction, at theta1 = -theta2, sin(theta1) = 2/3.
    middles = found.certificate.undefined.mean(axis=1)
    np.testing.assert_allclose(np.sin(middles), [[2 / 3, -2 / 3]] * len(middles), atol=1e-6)


@pytest.mark.parametrize(("omega", "count"), [(2.0, 2), (2.85, 2), (2.87, 4), (4.0, 4)])
def test_bead_on_a_hoop_is_proven_on_both_sides_of_its_pitchfork(omega, count):
    p = problems.bead_on_hoop()
    found = rt.equilibria(p.system, p.values | {"omega": omega}, certify=True)
    assert len(found) == count
    assert found.certificate.is_complete


@pytest.mark.slow
def test_at_the_pitchfork_nothing_is_claimed():
    p = problems.bead_on_hoop()
    at = {"m": 1, "R": 1, "g": 9, "omega": 3}  # exactly there, and exactly so in doubles
    found = rt.equilibria(p.system, at, certify=True)
    assert len(found) == 2
    assert not found.certificate.is_complete
    assert len(found.certificate.undecided)
    assert not found.certificate.proven.all()


def test_a_list_that_was_cut_short_is_completed_by_the_proof():
    p = problems.pendulum_chain(3)
    found = rt.equilibria(p.system, p.values, starts=4, certify=True)
    assert len(found) == 8
    assert found.certificate.is_complete


def test_numbers_that_doubles_cannot_hold_are_enclosed():
    x = rt.coordinate("x")
    third = sympy.Rational(1, 3)
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**3 * third - x * sympy.pi / 10)
    found = rt.equilibria(system, {}, within={x: (-1, 1)}, certify=True)
    assert found.certificate.is_complete
    np.testing.assert_allclose(np.sort(found.q[:, 0]), np.array([-1, 1]) * np.sqrt(np.pi / 10))


def test_no_proof_where_functions_have_kinks_or_time_stays():
    x = rt.coordinate("x")
    kink = rt.System(kinetic=ddt(x) ** 2 / 2, potential=sympy.Abs(x - 1) ** 3 + x**2)
    with pytest.raises(rt.DerivationError, match="A proof works with smooth functions"):
        rt.equilibria(kink, {}, within={x: (-2, 2)}, certify=True)


def test_a_tiny_term_that_breaks_the_period_is_seen():
    theta = rt.coordinate("theta")
    tilted = rt.System(
        kinetic=ddt(theta) ** 2 / 2,
        potential=-cos(theta) + sympy.Rational(1, 10**12) * theta**2,
    )
    found = rt.equilibria(tilted, {}, within={theta: (-20, 20)}, certify=True)
    assert len(found) == 13
    assert found.certificate.is_complete


def test_near_neighbours_are_both_in_a_proven_list():
    x = rt.coordinate("x")
    V = sympy.integrate(sympy.expand(x * (x - sympy.Rational(1, 10**4))), x)
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=V)
    found = rt.equilibria(system, {}, within={x: (-1000, 1000)}, certify=True)
    np.testing.assert_allclose(np.sort(found.q[:, 0]), [0, 1e-4], atol=1e-12)
    assert found.certificate.is_complete


@pytest.mark.slow
@pytest.mark.parametrize("a", [1.0, 1e-4, 1e-10])
def test_equilibria_near_a_pole_are_not_swallowed_by_it(a):
    """Lennard-Jones, with the minimum at x = a and the pole at zero in the box."""
    x = rt.coordinate("x")
    size = rt.parameter("a")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=(size / x) ** 12 - 2 * (size / x) ** 6)
    found = rt.equilibria(system, {"a": a}, within={x: (0, 2)}, certify=True)
    assert found.q.tolist() == [[pytest.approx(a, rel=1e-9)]]
    assert found.certificate.is_complete
    assert np.abs(found.certificate.undefined).max(initial=0) < a / 100


def test_velocities_at_rest_fold_no_constants():
    """The force is 8.5e-18 at x = 0, which doubles take for zero: nothing rests there."""
    x = rt.coordinate("x")
    force = (1 - rt.tanh(20 + ddt(x))) - sympy.Rational(1, 10**17) * x
    system = rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: force})
    found = rt.equilibria(system, {}, within={x: (-0.5, 0.5)}, certify=True)
    assert not found.certificate.proven.any()


def test_tiny_boxes_hold_three():
    x = rt.coordinate("x")
    a = rt.parameter("a")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=(x**2 - a**2) ** 2)
    found = rt.equilibria(system, {"a": 2e-14}, within={x: (-1e-13, 1e-13)}, certify=True, starts=1)
    assert len(found) == 3
    assert found.certificate.is_complete


def test_no_proof_of_steady_motions_that_are_not_exactly_so():
    x, phi = rt.coordinates("x phi")
    T = (ddt(x) ** 2 + (1 + x**2) * ddt(phi) ** 2) / 2
    tiny = sympy.Rational(1, 10**15) * cos(phi)
    system = rt.System(kinetic=T, potential=[5 * x**2 / 2, -tiny])
    with pytest.raises(rt.DerivationError, match="A proof of a steady motion needs coordinates that"):
        rt.equilibria(system, {}, speeds={phi: 1.0}, within={x: (-1, 1)}, certify=True)


def test_where_the_energy_ends_there_is_nothing_to_prove():
    x = rt.coordinate("x")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2 - rt.sqrt(x - 1))
    found = rt.equilibria(system, {}, within={x: (-2, 3)}, certify=True)
    assert found.certificate.is_complete
    assert found.certificate.boxes < 1000


def test_nothing_is_proven_across_a_jump():
    x = rt.coordinate("x")
    V = (rt.atan2(sin(x), cos(x)) + 3) ** 2 / 2 + x**2 / 100
    found = rt.equilibria(
        rt.System(kinetic=ddt(x) ** 2 / 2, potential=V), {}, within={x: (0, 6)}, certify=True, starts=1
    )
    assert found.q.tolist() == [[pytest.approx(3.2188091246858694)]]


def test_a_pulse_in_time_is_no_proof():
    x = rt.coordinate("x")
    V = x**2 / 2 + x * rt.exp(-1000 * (rt.t - 5) ** 2)
    with pytest.raises(rt.DerivationError, match="A proof needs equations of motion without time"):
        rt.equilibria(
            rt.System(kinetic=ddt(x) ** 2 / 2, potential=V), {}, within={x: (-1, 1)}, certify=True
        )


# -- Properties ------------------------------------------------------------------------------------


@cases(12)
@given(seed=st.integers(0, 10**6))
@pytest.mark.slow
def test_indices_on_a_torus_sum_to_zero(seed):
    """Morse: minima - saddles + maxima = 0, the Euler characteristic of the torus."""
    generator = np.random.default_rng(seed)
    a, b = rt.coordinates("a b")
    V = sum(
        sympy.Rational(int(generator.integers(-20, 21)), 10)
        * cos(int(i) * a + int(j) * b + sympy.Rational(int(generator.integers(0, 60)), 10))
        for i, j in ((1, 0), (0, 1), (1, 1), (2, 1), (1, -1))
    )
    assume(not V.is_number)
    system = rt.System(kinetic=(ddt(a) ** 2 + 2 * ddt(b) ** 2 + ddt(a) * ddt(b)) / 2, potential=V)
    found = rt.equilibria(system, {})
    assume(not found.dimension.any() and Reason.DEGENERATE not in found.stability.reason)
    assert np.sum((-1.0) ** found.index) == 0
    assert {0, 1, 2} <= set(found.index.tolist())


@cases(15)
@given(seed=st.integers(0, 10**6))
def test_verdicts_do_not_depend_on_coordinates_and_units(seed):
    """The same system in oblique coordinates, measured in millimetres and milliseconds."""
    generator = np.random.default_rng(seed)
    x, y = rt.coordinates("x y")
    u, w = rt.coordinates("u w")
    k = [sympy.Rational(int(n), 4) for n in generator.integers(-9, 10, 3)]
    G, d = (sympy.Rational(int(n), 4) for n in generator.integers(0, 9, 2))
    T = (ddt(x) ** 2 + 2 * ddt(y) ** 2) / 2
    plain = rt.System(
        lagrangian=T + G * (x * ddt(y) - y * ddt(x)) - (k[0] * x**2 + k[1] * x * y + k[2] * y**2) / 2,
        dissipation=d * ddt(x) ** 2 / 2,
    )
    new = {x: u / 1000 + 3 * w, y: w / 7 - u / 500}
    rates = {ddt(q): 1000 * ddt(e) for q, e in new.items()}  # time in milliseconds
    (L,), D = plain.lagrangian, plain.dissipation

    def moved(e):
        return sympy.expand(e.xreplace({**new, **rates}))

    other = rt.System(lagrangian=moved(L), dissipation=[moved(e) / 1000 for e in D] or None)
    first, second = (rt.stability(rt.linearize(rt.equilibrium(s, {}))) for s in (plain, other))
    assert first.verdict is second.verdict
    assert first.reason is second.reason
    assert first.index == second.index


# -- What a search says of itself ------------------------------------------------------------------


def restricted_bodies():
    x, y = rt.coordinates("x y")
    mu = rt.parameter("mu")
    pull = (1 - mu) / rt.sqrt((x + mu) ** 2 + y**2) + mu / rt.sqrt((x - 1 + mu) ** 2 + y**2)
    frame = rt.rotation(rt.t) @ rt.vector(x, y)
    return rt.System(kinetic=rt.norm2(ddt(frame)) / 2, potential=-pull), {x: (-2, 2), y: (-2, 2)}


@pytest.mark.parametrize("mu", [0.01215, pytest.param(1e-3, marks=pytest.mark.slow), 0.3])
def test_five_points_of_lagrange_are_found_for_sure(mu):
    """Starts creep along the ring that the triangular points lie on; they must not do so for ever."""
    system, within = restricted_bodies()
    found = rt.equilibria(system, {"mu": mu}, within=within)
    assert found.saturated
    assert len(found) == 5
    triangular = np.abs(found.q[:, 1]) > 1e-6
    np.testing.assert_allclose(found.q[triangular, 0], 0.5 - mu, rtol=1e-9)


@pytest.mark.slow
def test_starts_is_the_most_starts_and_is_used():
    x = rt.coordinate("x")
    tail = rt.System(kinetic=ddt(x) ** 2 / 2, potential=-rt.exp(-(x**2)))
    by_itself = rt.equilibria(tail, {}, within={x: (-20, 20)})
    assert not by_itself.saturated
    assert "still on their way" in str(by_itself)
    for asked in (100, 2000):
        found = rt.equilibria(tail, {}, within={x: (-20, 20)}, starts=asked)
        assert found.starts == asked
        assert not found.saturated


def test_more_starts_are_asked_for_only_where_they_help():
    p = problems.pendulum_chain(5)
    few = rt.equilibria(p.system, p.values, starts=20)
    assert "20 starts were not enough to be sure of the list: raise `starts`" in str(few)
    assert rt.equilibria(p.system, p.values, starts=100_000).starts < 100_000
