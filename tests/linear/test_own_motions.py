"""The matrices on a model's own motions, against closed forms and against exact arithmetic."""

import mpmath
import numpy as np
import pytest

import routh as rt
from routh import at, ddt, diff, integral
from routh.numerics import levels

L, EI, m, k = rt.parameters("L EI m k")
s = rt.space("s", 0, L)
w = rt.field("w", s)


def _beam(size, stiffness):
    beam = rt.System(
        kinetic=integral(m / 2 * ddt(w) ** 2, s),
        potential=integral(EI / 2 * diff(w, s, 2) ** 2, s)
        + k / 2 * (at(w, s, 0) ** 2 + at(w, s, L) ** 2),
    )
    values = {"L": 1.0, "EI": 100.0, "m": 1.0, "k": stiffness}
    return rt.linearize(rt.equilibrium(rt.discretize(beam, {w: size}), values))


def _exact(stiffness, *, bounce):
    """omega of a free beam on equal end springs, even or odd about its middle."""
    # w = f(b x) + c g(b x); at the end x = 1/2 the moment is zero and the shear is that of the spring
    with mpmath.workdps(40):
        f, g = (mpmath.cos, mpmath.cosh) if bounce else (mpmath.sin, mpmath.sinh)
        f3, g3 = (mpmath.sin, mpmath.sinh) if bounce else (lambda z: -mpmath.cos(z), mpmath.cosh)

        def condition(b):
            z = b / 2
            c = f(z) / g(z)
            return 100 * b**3 * (f3(z) + c * g3(z)) - stiffness * (f(z) + c * g(z))

        guess = (stiffness * (2 if bounce else 6) / 100) ** 0.25
        return float(10 * mpmath.findroot(condition, guess) ** 2)


@pytest.mark.parametrize(
    "size",
    [12, 60, 120, rt.Elements(60), pytest.param(rt.Elements(200), marks=pytest.mark.slow)],
    ids=str,
)
@pytest.mark.parametrize("stiffness", [1.0, 1e-2, 1e-6])
def test_soft_supports_keep_their_digits(size, stiffness):
    linear = _beam(size, stiffness)
    exact = [_exact(stiffness, bounce=True), _exact(stiffness, bounce=False)]
    np.testing.assert_allclose(rt.modes(linear).frequencies[:2], exact, rtol=1e-8)
    assert rt.stability(linear).curvature == pytest.approx(exact[0] ** 2, rel=1e-8)


@pytest.mark.parametrize("size", [12, 80, rt.Elements(60)], ids=str)
def test_motions_without_stiffness_have_noise_alone(size):
    own = _beam(size, 0.0).own
    energies, bounds = (np.diagonal(X[0]) for X in (own.K, own.stiffness_bound))
    assert (energies[:2] == 0).all()
    assert (energies[2:] > 1e9 * bounds[2:]).all()


@pytest.mark.parametrize(
    "size", [9, 40, rt.Elements(60), pytest.param(rt.Elements(200), marks=pytest.mark.slow)], ids=str
)
@pytest.mark.parametrize("share", [0.5, 0.999, 1.001, 4.5])
def test_a_column_has_its_curvatures_on_both_sides_of_its_load(size, share):
    """omega^2 = (n pi)^2 ((n pi)^2 EI - P) of a hinged column, EI = m = L = 1."""
    P = rt.parameter("P")
    column = rt.System(
        kinetic=integral(ddt(w) ** 2 / 2, s),
        potential=integral(diff(w, s, 2) ** 2 / 2 - P * diff(w, s) ** 2 / 2, s),
        constraints=[at(w, s, 0), at(w, s, L)],
    )
    values = {"L": 1.0, "P": share * np.pi**2}
    linear = rt.linearize(rt.equilibrium(rt.discretize(column, {w: size}), values))
    squares = np.sort((-(rt.modes(linear).eigenvalues[::2] ** 2)).real)[:2]
    n = np.array([1, 2])
    exact = np.sort((n * np.pi) ** 2 * ((n * np.pi) ** 2 - share * np.pi**2))
    np.testing.assert_allclose(squares, exact, rtol=1e-5, atol=1e-5)


def test_ordinary_systems_come_by_the_same_way():
    x, y = rt.coordinates("x y")
    pair = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=1e11 * (x - y) ** 2 / 2 + x**2 / 2
    )
    own = rt.linearize(rt.equilibrium(pair, {})).own
    with mpmath.workdps(50):
        big = mpmath.mpf(10) ** 11
        exact = mpmath.eigsy(mpmath.matrix([[big + 1, -big], [-big, big]]), eigvals_only=True)
    np.testing.assert_allclose(
        np.diagonal(own.K[0]) / np.diagonal(own.M[0]), [float(e) for e in exact], rtol=1e-12
    )


def test_they_are_a_congruence_of_the_matrices(monkeypatch):
    """At moderate sizes V^T X V from the matrices is the second route, damping and turning included."""
    monkeypatch.setattr(levels, "SUSPECT", 1.0)  # everything is seen closely
    rate, c = rt.parameters("rate c")
    x, y, z = rt.coordinates("x y z")
    rotor = rt.System(
        kinetic=((ddt(x) - rate * y) ** 2 + (ddt(y) + rate * x) ** 2 + ddt(z) ** 2) / 2,
        potential=2 * x**2 + 3 * y**2 + (z - x) ** 2 + z**4,
        dissipation=c * (ddt(x) - ddt(z)) ** 2,
        forces={x: -0.3 * y},
    )
    values = {"rate": np.array([0.1, 0.7, 3.0]), "c": 0.2}
    linear = rt.linearize(rt.equilibrium(rotor, values))
    own = linear.own
    assert own.seen_closely.all()
    for name in "MDGKH":
        matrix = getattr(linear, name)
        direct = own.V.swapaxes(1, 2) @ matrix @ own.V
        np.testing.assert_allclose(getattr(own, name), direct, atol=1e-12)
    assert np.linalg.cond(own.V).max() < 10


def test_constraints_and_lost_mass_are_included(monkeypatch):
    monkeypatch.setattr(levels, "SUSPECT", 1.0)
    x, y, z = rt.coordinates("x y z")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=y + x**2 + (z - x) ** 2 / 2 + 2 * z**2,
        constraints=[x**2 + y**2 - 1],
    )
    linear = rt.linearize(rt.equilibrium(system, {}, guess={x: 0.1, y: -1.0, z: 0.0}))
    own = linear.own
    for name in "MK":
        direct = own.V[0].T @ getattr(linear, name) @ own.V[0]
        np.testing.assert_allclose(getattr(own, name)[0], direct, atol=1e-12)


def test_constant_momenta_are_kept(monkeypatch):
    monkeypatch.setattr(levels, "SUSPECT", 1.0)
    phi, r = rt.coordinates("phi r")
    orbit = rt.System(kinetic=(ddt(r) ** 2 + r**2 * ddt(phi) ** 2) / 2, potential=-1 / r)
    rest = rt.equilibrium(orbit, {}, guess={r: 1.0}, speeds={phi: 1.0})
    linear = rt.linearize(rest).at_constant_momenta
    own = linear.own
    np.testing.assert_allclose(own.K[0] / own.M[0], linear.K / linear.M, rtol=1e-12)
    np.testing.assert_allclose(own.K[0] / own.M[0], 1.0, rtol=1e-10)  # Kepler: radial rate = n
