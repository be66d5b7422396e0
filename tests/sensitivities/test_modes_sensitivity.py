"""Derivatives of modes against 50-digit differences, complex steps, hand calculation and the books."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import routh as rt
from fifty_digits import Written, complex_step, eigenvalue_slopes
from random_systems import smooth
from rolling import DISC, disc
from routh import cos, ddt, sin
from routh.analysis.sensitivities.asked_knobs import asked_knobs
from routh.analysis.sensitivities.moved_rest import moves
from routh.analysis.sensitivities.pencil_slopes import pencil_slopes


def parametric_system(seed: int, n: int, *, held: bool) -> tuple[rt.System, dict[str, float]]:
    """Everything switched on, with parameters in all parts, and a rest that moves with them."""
    generator = np.random.default_rng(seed)
    q = list(rt.coordinates(" ".join(f"q{k}" for k in range(1, n + 1))))
    p = list(rt.parameters("p1 p2 p3"))
    v = [ddt(x) for x in q]
    seen = [*q, *p]

    def some() -> sympy.Expr:
        return smooth(generator, seen)

    kinetic = [(2 + p[0] ** 2) * sum(x**2 for x in v) / 2]
    kinetic += [sum((some() * x for x in v), sympy.S.Zero) ** 2 / 2, sum(some() * x for x in v)]
    potential = [(4 + p[1] ** 2) * sum(x**2 for x in q), some() / 2, p[2] * q[0]]
    system = rt.System(
        kinetic=kinetic,
        potential=potential,
        dissipation=[(some() * v[0] + v[-1]) ** 2 / 8],
        forces={x: (some() - x * some() * v[0]) / 4 for x in q},
        constraints=[q[0] + q[1] ** 2 / 4 - p[0] * q[-1] / 3 - p[2] / 8] if held else [],
    )
    return system, {"p1": 0.5, "p2": -0.25, "p3": 0.75}


def check_random_system(seed, held):
    """Eigenvalues to 1e-8 against 50-digit differences; rest and matrices against complex steps."""
    system, values = parametric_system(seed, 3 if held else 2, held=held)
    rest = rt.equilibrium(system, values, raises=False)
    if not rest.converged:
        return
    modes = rt.modes(rt.linearize(rest))
    found = modes.sensitivity()
    assert not np.isnan(found.eigenvalues).any()
    written = Written(system)
    size = np.abs(modes.eigenvalues).max()
    exact = eigenvalue_slopes(written, modes)
    np.testing.assert_allclose(found.eigenvalues, exact, rtol=1e-8, atol=1e-10 * size)
    stepped = complex_step(written, rest)
    own = rest.sensitivity()
    together = np.concatenate([own.q, own.multipliers])
    np.testing.assert_allclose(together, stepped["x"].T, rtol=1e-10, atol=1e-11)
    moved = moves(rest, asked_knobs(system, rest.conditions, ()), order=2)
    along = pencil_slopes(rest, moved)
    for name in "MCK":
        np.testing.assert_allclose(getattr(along, name)[0], stepped[name], rtol=1e-9, atol=1e-10)


def test_a_random_system_against_fifty_digits_and_complex_steps():
    check_random_system(3, held=False)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), held=st.booleans())
def test_random_systems_against_fifty_digits_and_complex_steps(seed, held):
    check_random_system(seed, held)


def moved_modes(system, values, name, h, **given):
    """Modes a little to both sides of a parameter."""
    both = []
    for sign in (1, -1):
        own = {**values, name: values[name] + sign * h}
        both.append(rt.modes(rt.linearize(rt.equilibrium(system, own, **given))))
    return both


def against_differences(system, values, *, rtol=1e-6, h=1e-5, names=None, **given):
    """All derivatives of modes against central differences."""
    modes = rt.modes(rt.linearize(rt.equilibrium(system, values, **given)))
    found = modes.sensitivity(*(names or system.parameters))
    for k, p in enumerate(found.parameters):
        up, down = moved_modes(system, values, str(p), h, **given)
        for name in ("eigenvalues", "frequencies", "damping", "eigenvectors", "shapes"):
            own = getattr(found, name)[..., k]
            other = (getattr(up, name) - getattr(down, name)) / (2 * h)
            known = ~np.isnan(own)
            assert known.any()
            np.testing.assert_allclose(own[known], other[known], rtol=rtol, atol=1e-7)
    return found


def test_every_derivative_of_a_damped_pendulum_on_a_rod_that_is_a_constraint():
    x, y = rt.coordinates("x y")
    k, F, m, l, c = rt.parameters("k F m l c")
    system = rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=k * x**2 / 2 - F * x + m * 9.81 * y,
        dissipation=c * ddt(x) ** 2 / 2,
        constraints=[(x**2 + y**2 - l**2) / 2],
    )
    values = {"k": 2.0, "F": 4.0, "m": 1.0, "l": 1.0, "c": 0.3}
    found = against_differences(system, values, guess={"x": 0.3, "y": -0.9})
    assert found.remark == ""


def hoop():
    theta, phi = rt.coordinates("theta phi")
    m, R, g, J = rt.parameters("m R g J")
    spin = m * R**2 * (ddt(theta) ** 2 + sin(theta) ** 2 * ddt(phi) ** 2) / 2
    system = rt.System(kinetic=spin + J * ddt(phi) ** 2 / 2, potential=-m * g * R * cos(theta))
    return system, {"m": 1.0, "R": 0.5, "g": 9.81, "J": 0.2}


@pytest.mark.parametrize("given", [{"speeds": {"phi": 6.0}}, {"momenta": {"phi": 2.0}}])
def test_steady_motions_at_given_speeds_and_momenta(given):
    system, values = hoop()
    found = against_differences(system, values, guess={"theta": 1.0}, **given)
    assert "Mode 1 has zero eigenvalues, of a free motion" in found.remark


def test_a_bead_on_a_hoop_by_its_speed():
    """At constant speed w^2 = Omega^2 - (g/(R Omega))^2, by hand; the hoop is driven (J is huge)."""
    system, values = hoop()
    values["J"] = 1e9
    rest = rt.equilibrium(system, values, guess={"theta": 1.0}, speeds={"phi": 6.0})
    found = rt.modes(rt.linearize(rest)).sensitivity("phi'", "R")
    w = np.sqrt(36.0 - (9.81 / (0.5 * 6.0)) ** 2)
    slope = (6.0 + 9.81**2 / (0.25 * 6.0**3)) / w
    assert found.frequencies[1] == pytest.approx([slope, 9.81**2 / (0.5**3 * 36.0) / w], rel=1e-6)


def test_a_rolling_disc_by_gravity_and_mass():
    """Upright and straight on: s^2 = (4 g/(5 R) - 12 Omega^2/5), by hand."""
    rest = rt.equilibrium(disc(), DISC, speeds={"phi": 4.0, "x": 2.0})
    found = rt.modes(rt.linearize(rest)).sensitivity()
    w = np.sqrt(2.4 * 16.0 - 0.8 * 9.81 / 0.5)
    assert found.s[-2].imag == pytest.approx(w, rel=1e-9)
    by = dict(zip(map(str, found.parameters), found.frequencies[-1], strict=True))
    assert by["g"] == pytest.approx(-0.8 / 0.5 / (2 * w), rel=1e-9)
    assert by["m"] == pytest.approx(0.0, abs=1e-12)
    assert np.isnan(by["R"])  # with another radius the speeds that are given would slip
    assert "no derivative by `R`" in found.remark


def string(e):
    """A string between two supports with the density 1 + e x/l, and its first modes' derivatives."""
    grows, l, tension = rt.parameters("e l S")
    x = rt.space("x", 0, l)
    w = rt.field("w", x)
    system = rt.System(
        kinetic=rt.integral((1 + grows * x / l) * ddt(w) ** 2 / 2, x),
        potential=rt.integral(tension * rt.diff(w, x) ** 2 / 2, x),
        constraints=[rt.at(w, x, 0), rt.at(w, x, l)],
    )
    rest = rt.equilibrium(rt.discretize(system, {w: 14}), {"e": e, "l": 2.0, "S": 3.0})
    return rt.modes(rt.linearize(rest), count=3).sensitivity("e", "l", "S")


def test_a_string_of_slightly_varying_density():
    """By first-order perturbation, as Rayleigh treated strings that are nearly uniform.

    The square of each period is 1 + (2/l) int e x/l sin^2(r pi x/l) dx = 1 + e/2 times as long, so that
    dw/de = -w/4 in every mode.
    """
    found = string(0.0)
    own = found.s[::2].imag
    np.testing.assert_allclose(own, np.arange(1, 4) * np.pi / 2 * np.sqrt(3.0), rtol=1e-9)
    np.testing.assert_allclose(
        found.frequencies / own[:, None], [[-1 / 4, -1 / 2, 1 / 6]] * 3, rtol=1e-7
    )


def test_a_string_of_linear_density_by_airy_functions():
    """Exactly, at e = 0.4: w'' = -k^2 (1 + e x/l) w/l^2 is Airy's equation, k^2 = l^2 omega^2/S."""
    found = string(0.4)

    def ends(omega, e):
        """Zero at the frequencies: no combination of both functions else vanishes at both ends."""
        z = (4 * omega**2 / 3 / mpmath.mpf(e) ** 2) ** (mpmath.mpf(1) / 3)
        A = [mpmath.airyai(-z * (1 + e * x)) for x in (0, 1)]
        B = [mpmath.airybi(-z * (1 + e * x)) for x in (0, 1)]
        return A[0] * B[1] - A[1] * B[0]

    for k, near in enumerate(found.s[::2].imag):
        with mpmath.workdps(30):
            omega = mpmath.findroot(lambda x: ends(x, 0.4), mpmath.mpf(near))
            slope = -mpmath.diff(ends, (omega, 0.4), (0, 1)) / mpmath.diff(ends, (omega, 0.4), (1, 0))
        assert near == pytest.approx(float(omega), rel=1e-9)
        assert found.frequencies[k, 0] == pytest.approx(float(slope), rel=1e-7)


def test_the_quotient_of_two_quadratic_forms_and_roots_in_closed_form():
    """x^T (K_p - w^2 M_p) x / (2 w x^T M x), as Fox and Kapoor (1968) are quoted for it; and the roots
    of the characteristic polynomial, w^2 = 3 -+ sqrt(3) here, differentiated by SymPy.
    """
    x, y = rt.coordinates("x y")
    m1, m2, k1, k2 = rt.parameters("m1 m2 k1 k2")
    system = rt.System(
        kinetic=(m1 * ddt(x) ** 2 + m2 * ddt(y) ** 2) / 2,
        potential=(k1 * x**2 + k2 * (y - x) ** 2) / 2,
    )
    modes = rt.modes(rt.linearize(rt.equilibrium(system, {"m1": 2, "m2": 1, "k1": 6, "k2": 2})))
    found = modes.sensitivity("m1", "m2", "k1", "k2")
    assert modes.frequencies**2 == pytest.approx([3 - np.sqrt(3), 3 + np.sqrt(3)])
    a, b, c, d = letters = sympy.symbols("a b c d", positive=True)
    half = ((c + d) / a + d / b) / 2
    at = dict(zip(letters, (2, 1, 6, 2), strict=True))
    for k, w in enumerate(modes.frequencies):
        u, v = modes.shapes[:, k]
        energy = 2 * u**2 + v**2
        by_hand = np.array([-(w**2) * u**2, -(w**2) * v**2, u**2, (v - u) ** 2]) / (2 * w * energy)
        np.testing.assert_allclose(found.frequencies[k], by_hand, rtol=1e-12)
        root = sympy.sqrt(half + (-1, 1)[k] * sympy.sqrt(half**2 - c * d / (a * b)))
        exact = [float(root.diff(p).subs(at)) for p in letters]
        np.testing.assert_allclose(found.frequencies[k], exact, rtol=1e-12)


def two_springs():
    x, y = rt.coordinates("x y")
    a, b, e = rt.parameters("a b e")
    return rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=(a * x**2 + b * y**2) / 2 + e * x * y
    )


def test_a_double_frequency_parts_and_has_no_derivative():
    """By hand w^2 = 4 + (a + b)/2 +- sqrt((a - b)^2/4 + e^2) for changes a, b, e: slopes do not add."""
    rest = rt.equilibrium(two_springs(), {"a": 4.0, "b": 4.0, "e": 0.0})
    found = rt.modes(rt.linearize(rest)).sensitivity("a", "b", "e")
    assert found.multiplicity.tolist() == [2, 2, 2, 2]
    assert np.isnan(found.eigenvalues).all()
    assert np.isnan(found.frequencies).all()
    assert np.isnan(found.eigenvectors).all()

    def parts(a, b, e):
        root = np.sqrt((a - b) ** 2 / 4 + e**2)
        return np.array([(a + b) / 2 - root, (a + b) / 2 + root]) / 4

    for direction in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -1, 0), (1, 0, 2), (-1, 2, 1)):
        line = found.directional(dict(zip(("a", "b", "e"), direction, strict=True)))
        np.testing.assert_allclose(line[::2].imag, parts(*direction), atol=1e-12)
        np.testing.assert_allclose(line[1::2].imag, -parts(*direction), atol=1e-12)
    np.testing.assert_allclose(found.splitting[::2, 2].imag, [-0.25, 0.25], atol=1e-12)
    assert "Modes 1 and 2 have equal eigenvalues: none of them has a derivative of its own" in str(
        found
    )
    assert found.influences()[1][0].imag == pytest.approx(0.25)


def test_half_of_a_double_frequency_is_known_to_be_half():
    rest = rt.equilibrium(two_springs(), {"a": 4.0, "b": 4.0, "e": 0.0})
    found = rt.modes(rt.linearize(rest), count=1).sensitivity("a")
    assert found.multiplicity.tolist() == [2, 2]
    assert np.isnan(found.splitting).all()
    assert np.isnan(found.frequencies).all()


def oscillator():
    x = rt.coordinate("x")
    k, c = rt.parameters("k c")
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2, dissipation=c * ddt(x) ** 2 / 2)


@pytest.mark.parametrize("scale", [1.0, 1e-4, 1e4])
def test_critical_damping_is_defective(scale):
    rest = rt.equilibrium(oscillator(), {"k": scale**2, "c": 2.0 * scale})
    found = rt.modes(rt.linearize(rest)).sensitivity()
    assert found.defective.all()
    assert np.isnan(found.eigenvalues).all()
    assert "Mode 1 has defective eigenvalues: they move by roots of the parameters" in found.remark


def test_flutter_begins_at_a_defective_root():
    """Ziegler's kind: K = [[3, -P], [P, 1]] meets at P = 1, where w^2 = 2 twice with one vector."""
    x, y = rt.coordinates("x y")
    P = rt.parameter("P")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=(3 * x**2 + y**2) / 2,
        forces={x: P * y, y: -P * x},
    )
    found = rt.modes(rt.linearize(rt.equilibrium(system, {"P": 1.0}))).sensitivity()
    assert found.defective.all()
    beside = rt.modes(rt.linearize(rt.equilibrium(system, {"P": 0.6}))).sensitivity()
    # w^2 = 2 -+ sqrt(1 - P^2): d(w^2)/dP = +-P/sqrt(1 - P^2) = +-0.75
    w = beside.s[::2].imag
    np.testing.assert_allclose(2 * w * beside.frequencies[:, 0], [0.75, -0.75], rtol=1e-9)


def test_overdamped_roots_by_hand():
    """s = -c/2 +- sqrt(c^2/4 - k); the ratio c/(2 sqrt(k)) has derivatives of its own."""
    rest = rt.equilibrium(oscillator(), {"k": 1.0, "c": 3.0})
    found = rt.modes(rt.linearize(rest)).sensitivity("k", "c")
    np.testing.assert_allclose(found.damping, [[-0.75, 0.5]], rtol=1e-12)
    np.testing.assert_array_equal(found.frequencies, [[0.0, 0.0]])
    root = np.sqrt(1.25)
    by_hand = np.array([[-0.5 / root, -0.5 + 0.75 / root], [0.5 / root, -0.5 - 0.75 / root]])
    places = [int(np.argmax(found.s.real)), int(np.argmin(found.s.real))]
    np.testing.assert_allclose(found.eigenvalues.real[places], by_hand, rtol=1e-12)


def test_a_batch_is_its_points():
    system, values = hoop()
    many = {**values, "R": np.array([[0.4, 0.5, 0.6], [0.7, 0.8, 0.9]])}
    batch = rt.modes(
        rt.linearize(rt.equilibrium(system, many, guess={"theta": 1.0}, speeds={"phi": 6.0}))
    ).sensitivity("g", "R")
    assert batch.eigenvalues.shape == (2, 3, 4, 2)
    assert batch.eigenvectors.shape == (2, 3, 2, 4, 2)
    own = {**values, "R": 0.8}
    one = rt.modes(
        rt.linearize(rt.equilibrium(system, own, guess={"theta": 1.0}, speeds={"phi": 6.0}))
    ).sensitivity("g", "R")
    for name in ("eigenvalues", "frequencies", "damping", "shapes", "splitting", "relative"):
        np.testing.assert_allclose(
            getattr(batch, name)[1, 1], getattr(one, name), rtol=1e-9, atol=1e-12
        )
    assert "6 points of the batch have zero eigenvalues" in batch.remark
    with pytest.raises(rt.DeclarationError, match="for one point"):
        batch.strongest()


def test_points_without_a_rest_have_no_numbers():
    """V = x^3/3 - a x: no rest for a < 0, a fold at a = 0."""
    x, a = rt.coordinate("x"), rt.parameter("a")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**3 / 3 - a * x)
    rest = rt.equilibrium(system, {"a": np.array([-1.0, 4.0])}, guess={"x": 1.5}, raises=False)
    found = rt.modes(rt.linearize(rest)).sensitivity("a")
    assert np.isnan(found.frequencies[0]).all()
    # w^2 = 2 sqrt(a): dw/da = 1/(2 sqrt(2) a^(3/4))
    assert found.frequencies[1, 0, 0] == pytest.approx(1 / (2 * np.sqrt(2) * 4**0.75), rel=1e-12)


def test_relative_sensitivities_are_ranked():
    """w = sqrt(k/m): one per cent more k is half a per cent, m minus half, c of second order."""
    x = rt.coordinate("x")
    m, k, c = rt.parameters("m k c")
    system = rt.System(
        kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2 / 2, dissipation=c * ddt(x) ** 2 / 2
    )
    found = rt.modes(rt.linearize(rt.equilibrium(system, {"m": 2.0, "k": 8.0, "c": 0.01}))).sensitivity(
        "c", "k", "m"
    )
    assert found.strongest()[-1] == 0
    np.testing.assert_allclose(np.abs(found.relative[0, 1:]), [0.5, 0.5], rtol=1e-4)
    assert found.critical == 0
    assert "What changes mode 1, s = -0.0025 + 2i 1/s, most" in str(found)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("q",), "`q` does not enter the energies"),
        (("x",), "`x` is a coordinate: it is found, not given"),
        (("k", "k"), "`k` is asked for twice"),
    ],
)
def test_bad_names(asked, words):
    modes = rt.modes(rt.linearize(rt.equilibrium(oscillator(), {"k": 1.0, "c": 0.1})))
    with pytest.raises(rt.DeclarationError, match=words):
        modes.sensitivity(*asked)


def test_bad_directions_and_modes():
    modes = rt.modes(rt.linearize(rt.equilibrium(oscillator(), {"k": 1.0, "c": 0.1})))
    found = modes.sensitivity("k")
    with pytest.raises(rt.DeclarationError, match="`c` was not asked for"):
        found.directional({"c": 1.0})
    with pytest.raises(rt.DeclarationError, match="`direction` is how much"):
        found.directional({})
    with pytest.raises(rt.DeclarationError, match="one number for `k`"):
        found.directional({"k": [1.0, 2.0]})
    with pytest.raises(rt.DeclarationError, match="from 0 to below 1"):
        found.strongest(3)


def test_a_system_without_parameters_says_so():
    x = rt.coordinate("x")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2)
    with pytest.raises(rt.DeclarationError, match="no parameters to take derivatives by"):
        rt.modes(rt.linearize(rt.equilibrium(system, {}))).sensitivity()


def test_kinks_of_second_derivatives_are_refused():
    """|x|^3 has a linear model at zero, whose stiffness has a kink there."""
    x, k = rt.coordinate("x"), rt.parameter("k")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2 + k * sympy.Abs(x) ** 3)
    modes = rt.modes(rt.linearize(rt.equilibrium(system, {"k": 1.0})))
    with pytest.raises(rt.DerivationError, match="no derivatives by parameters here"):
        modes.sensitivity()


def test_a_jump_that_moves_along_a_body_is_refused():
    a, l, rho = rt.parameters("a l rho")
    x = rt.space("x", 0, l)
    w = rt.field("w", x)

    def string(place):
        density = rho * sympy.Piecewise((2, x < place), (1, True))
        system = rt.System(
            kinetic=rt.integral(density * ddt(w) ** 2 / 2, x),
            potential=rt.integral(rt.diff(w, x) ** 2 / 2, x),
            constraints=[rt.at(w, x, 0), rt.at(w, x, l)],
        )
        return rt.discretize(system, {w: 4})

    moving = rt.equilibrium(string(a), {"a": 0.3, "l": 1.0, "rho": 1.0})
    modes = rt.modes(rt.linearize(moving), count=1)
    for name in ("a", "l"):
        with pytest.raises(rt.DerivationError, match=f"no derivative by `{name}` .* jumps along `x`"):
            modes.sensitivity(name)
    w1 = modes.frequencies[0]
    assert modes.sensitivity("rho").frequencies[0, 0] == pytest.approx(-w1 / 2, rel=1e-9)
    shared = rt.equilibrium(string(l / 2), {"l": 1.0, "rho": 1.0})
    modes = rt.modes(rt.linearize(shared), count=1)
    assert modes.sensitivity("l").frequencies[0, 0] == pytest.approx(-modes.frequencies[0], rel=1e-9)


def test_branches_of_parameters_that_meet_are_refused():
    x, k = rt.coordinate("x"), rt.parameter("k")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=sympy.Max(k, 2) * x**2 / 2)
    at = rt.modes(rt.linearize(rt.equilibrium(system, {"k": 2.0})))
    with pytest.raises(rt.DerivationError, match=r"branches of .* meet at its value"):
        at.sensitivity()
    above = rt.modes(rt.linearize(rt.equilibrium(system, {"k": 4.0})))
    assert above.sensitivity().frequencies[0, 0] == pytest.approx(0.25)


def test_constraints_that_depend_on_each_other_are_refused():
    x, y = rt.coordinates("x y")
    l = rt.parameter("l")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=9.81 * y,
        constraints=[x**2 + y**2 - l**2, 2 * x**2 + 2 * y**2 - 2 * l**2],
    )
    rest = rt.equilibrium(system, {"l": 1.0}, guess={"x": 0.1, "y": -1.0})
    with pytest.raises(rt.DerivationError, match="do not depend on each other"):
        rt.modes(rt.linearize(rest)).sensitivity()


def test_frozen_matrices_are_refused():
    x, k = rt.coordinate("x"), rt.parameter("k")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=(k + cos(rt.t)) * x**2 / 2)
    linear = rt.linearize(rt.equilibrium(system, {"k": 2.0}), time=0.0)
    with pytest.raises(rt.DerivationError, match="were frozen in time"):
        rt.modes(linear).sensitivity()


def test_parameters_that_would_let_matrices_move_have_no_derivative():
    """At e = 0 nothing depends on time, beside it the stiffness swings."""
    x, (k, e) = rt.coordinate("x"), rt.parameters("k e")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=(k + e * sin(rt.t)) * x**2 / 2)
    found = rt.modes(rt.linearize(rt.equilibrium(system, {"k": 4.0, "e": 0.0}))).sensitivity("k", "e")
    assert found.frequencies[0, 0] == pytest.approx(0.25)
    assert np.isnan(found.frequencies[0, 1])
    assert "no derivative by `e`" in found.remark


@pytest.mark.parametrize("k", [1e4, 1e8, 1e12, 1e14])
def test_a_soft_motion_beside_a_stiff_one_keeps_its_digits(k):
    """Two masses that a stiff spring holds together: w^2 -> (a + b)/2, off by a share of a/k."""
    x, y = rt.coordinates("x y")
    a, b, stiff = rt.parameters("a b k")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=(stiff * (x - y) ** 2 + a * x**2 + b * y**2) / 2,
    )
    rest = rt.equilibrium(system, {"a": 1.0, "b": 3.0, "k": k})
    found = rt.modes(rt.linearize(rest)).sensitivity("a", "b")
    slope = 1 / (4 * np.sqrt(2.0))
    assert found.frequencies[0] == pytest.approx([slope, slope], rel=10 / k + 1e-9)
