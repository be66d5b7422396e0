"""The lowest modes of very many elements, against characteristic equations and other bases."""

import mpmath
import numpy as np
import pytest

import routh as rt
from routh import at, ddt, diff, integral

L, EI, m, c = 1.84, 18.4, 2.95, rt.parameter("c")
s = rt.space("s", 0, L)
w = rt.field("w", s)
CLAMPED = [at(w, s, 0), at(diff(w, s), s, 0)]
KINETIC = integral(m / 2 * ddt(w) ** 2, s)
BENDING = integral(EI / 2 * diff(w, s, 2) ** 2, s)
DASHPOT = rt.System(
    kinetic=KINETIC, potential=BENDING, dissipation=c / 2 * ddt(at(w, s, L)) ** 2, constraints=CLAMPED
)
VOIGT = rt.System(
    kinetic=KINETIC,
    potential=BENDING,
    dissipation=integral(c / 2 * ddt(diff(w, s, 2)) ** 2, s),
    constraints=CLAMPED,
)


def _modes(system, size, damping, count):
    rest = rt.equilibrium(rt.discretize(system, {w: size}), {"c": damping})
    return rt.modes(rt.linearize(rest), count=count)


def _exact(damping, guess):
    """An eigenvalue of the clamped beam with a dashpot at its end: EI w^(3) = c s w there."""
    with mpmath.workdps(60):

        def condition(r):
            b = L * (-m * r**2 / EI) ** mpmath.mpf(0.25)
            C, c_, S, s_ = mpmath.cosh(b), mpmath.cos(b), mpmath.sinh(b), mpmath.sin(b)
            A = -(S + s_) / (C + c_)
            shear = EI * (b / L) ** 3 * (A * (S - s_) + C + c_)
            return (shear - damping * r * (A * (C - c_) + S - s_)) / C

        return complex(mpmath.findroot(condition, mpmath.mpc(guess), tol=1e-25))


@pytest.mark.parametrize("size", [60, rt.Elements(251), rt.Elements(600)], ids=str)
@pytest.mark.parametrize("damping", [5.0, 50.0, 100.0, 300.0])
def test_every_eigenvalue_of_a_beam_with_a_dashpot_is_one(size, damping):
    found = _modes(DASHPOT, size, damping, 4).eigenvalues
    for value in found:
        exact = _exact(damping, value)
        assert abs(value - exact) <= (1e-4 if abs(value) > 500 else 1e-6) * abs(exact)
    assert len(np.unique(np.round(found, 6))) == 8


def test_a_partner_that_was_not_found_is_not_listed():
    found = _modes(DASHPOT, rt.Elements(251), 3000.0, 3)
    lone = np.isnan(found.eigenvalues[1::2].real)
    assert np.isnan(found.damping[lone]).all()
    assert "nan" not in str(found).replace("damping nan", "")
    for value in found.eigenvalues[~np.isnan(found.eigenvalues.real)]:
        assert abs(value - _exact(3000.0, value)) <= 1e-6 * abs(value)


@pytest.mark.parametrize("size", [12, 40, rt.Elements(60), rt.Elements(260)], ids=str)
@pytest.mark.parametrize("damping", [0.1, 1.0, 5.0])
def test_modes_damped_inside_the_material_are_listed_in_their_order(size, damping):
    """Damping in proportion to stiffness: ratio c w_n / (2 EI), with w_n of the undamped beam."""
    roots = np.array([1.875104068711961, 4.694091132974175, 7.854757438237613, 10.995540734875467])
    natural = (roots / L) ** 2 * np.sqrt(EI / m)
    found = _modes(VOIGT, size, damping, 4)
    np.testing.assert_allclose(found.damping, damping * natural / (2 * EI), rtol=2e-3)
    product = np.abs(found.eigenvalues[::2] * found.eigenvalues[1::2])
    np.testing.assert_allclose(np.sqrt(product), natural, rtol=2e-3)
