"""A basis is one file: two that the package has never heard of, each in the few lines below.

`Splines` are cubics with continuous curvatures between equal nodes, of which one alone has the value and
one the slope at an end; `Sines` vanish at both ends and are no polynomials.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pytest
import sympy
from scipy.interpolate import BSpline

import routh as rt
from routh import at, ddt, diff, integral
from routh.language.shapes import Basis
from routh.mechanics.ritz.bases.basis_size import Size

L, EI, m, S = rt.parameters("L EI m S")
s = rt.space("s", 0, L)
w = rt.field("w", s)
VALUES = {"L": 1.5, "EI": 4.0, "m": 1.2, "S": 7.0}
UNIT = np.sqrt(4.0 / (1.2 * 1.5**4))

CLAMPED = (1.875104068711961166, 4.694091132974174576, 7.854757438237612565)
"""Roots of cos(x) cosh(x) + 1: a clamped beam (Blevins, table 8-1)."""


@dataclass(frozen=True)
class Splines(Size):
    count: int
    divides = True

    def basis(self, *_):
        return SplineFunctions(self.count)

    def finer(self, *_):
        return Splines(2 * self.count)

    def coarser(self):
        return Splines((self.count + 1) // 2)

    @property
    def described(self):
        return f"{self.count} splines"


class SplineFunctions(Basis):
    def __init__(self, count):
        nodes = np.linspace(-1, 1, count + 1)
        self.cells, self.degree, self.size = tuple(nodes.tolist()), 3, count + 3
        knots = np.concatenate([[-1] * 3, nodes, [1] * 3])
        mixed = np.eye(self.size)
        mixed[0, 1] = mixed[-1, -2] = 1  # the value without a slope
        mixed[1] *= (nodes[1] - nodes[0]) / 3  # the slope 1
        mixed[-2] *= -(nodes[1] - nodes[0]) / 3
        self._splines = BSpline(knots, mixed.T, 3)
        last = self.size - 1
        self.ends = {(0, 0): (0, 1), (0, 1): (1, 1), (1, 0): (last, 1), (1, 1): (last - 1, 1)}

    def values(self, xi, slope):
        found = self._splines(xi, nu=slope)
        found[np.abs(found) < 1e-13] = 0.0
        return found


@dataclass(frozen=True)
class Sines(Size):
    count: int

    def basis(self, *_):
        return SineFunctions(self.count)

    def finer(self, *_):
        return Sines(self.count + max(2, self.count // 4))

    def coarser(self):
        return Sines(self.count - 1)

    @property
    def described(self):
        return f"{self.count} sines"


class SineFunctions(Basis):
    def __init__(self, count):
        self.size, self.cells, self.degree = count, (-1.0, 1.0), None
        self._waves = np.arange(1, count + 1) * np.pi / 2

    def values(self, xi, slope):
        phase = self._waves * (1 + np.asarray(xi)[:, None]) + slope * np.pi / 2
        found = self._waves**slope * np.sin(phase)
        found[np.abs(found) < 1e-12 * self._waves**slope] = 0.0
        return found

    @cached_property
    def steep(self):
        xi = sympy.Dummy("xi", real=True)
        return [(sympy.sin(k * sympy.pi * (1 + xi) / 2), xi) for k in range(1, self.size + 1)]


CLAMP, HELD = (at(w, s, 0), at(diff(w, s), s, 0)), (at(w, s, 0), at(w, s, L))


def beam(mass=m, conditions=CLAMP):
    return rt.System(
        kinetic=integral(mass / 2 * ddt(w) ** 2, s),
        potential=integral(EI / 2 * diff(w, s, 2) ** 2, s),
        constraints=list(conditions),
    )


HEAVIER = beam(mass=m * (1 + s / L), conditions=HELD)
STRING = rt.System(
    kinetic=integral(m / 2 * ddt(w) ** 2, s),
    potential=integral(S / 2 * diff(w, s) ** 2, s),
    constraints=list(HELD),
)


def modes(system, size, **options):
    made = rt.discretize(system, {w: size})
    values = {name: x for name, x in VALUES.items() if name in {p.name for p in made.parameters}}
    return rt.modes(rt.linearize(rt.equilibrium(made, values)), **options)


def test_splines_converge_to_a_clamped_beam_with_the_fourth_power():
    exact = np.array(CLAMPED) ** 2 * UNIT
    off = [modes(beam(), Splines(n)).frequencies[:3] / exact - 1 for n in (8, 16)]
    assert (np.array(off) > 0).all()  # Rayleigh: from above
    np.testing.assert_allclose(np.log2(off[0] / off[1]), 4, atol=0.25)
    assert len(modes(beam(), Splines(8)).linear.system.coordinates) == 9  # two of eleven are held
    # with continuous curvatures as many coordinates do better than Hermite's cubics
    assert (off[1] < modes(beam(), rt.Elements(9)).frequencies[:3] / exact - 1).all()


def test_a_number_of_new_functions_that_suffices_is_found():
    found = modes(beam(), Splines(4), count=3, converged=1e-6)
    assert found.accuracy <= 1e-6
    np.testing.assert_allclose(found.frequencies, np.array(CLAMPED) ** 2 * UNIT, rtol=1e-6)
    assert "splines" in str(found)
    few = modes(beam(), Splines(4))
    assert few.converged[0]
    assert not few.converged[-1]


def test_loads_and_rods_take_new_functions_too():
    P = rt.parameter("P")
    loaded = rt.System(potential=integral(EI / 2 * diff(w, s, 2) ** 2, s) - P * at(w, s, L),
                       kinetic=integral(m / 2 * ddt(w) ** 2, s),
                       constraints=list(CLAMP))  # fmt: skip
    values = {"L": 1.5, "EI": 4.0, "m": 1.2, "P": 0.3}
    rest = rt.equilibrium(rt.discretize(loaded, {w: Splines(3)}), values)
    np.testing.assert_allclose(rest[at(w, s, L)], 0.3 * 1.5**3 / 12, rtol=1e-12)
    np.testing.assert_allclose(rest[at(diff(w, s), s, L)], 0.3 * 1.5**2 / 8, rtol=1e-12)
    exact = np.arange(1, 4) * np.pi / 1.5 * np.sqrt(7.0 / 1.2)
    np.testing.assert_allclose(modes(STRING, Splines(24)).frequencies[:3], exact, rtol=1e-6)


def test_sines_are_the_modes_of_a_string_and_of_a_simple_beam():
    k = np.arange(1, 6) * np.pi / 1.5
    np.testing.assert_allclose(modes(STRING, Sines(5)).frequencies, k * np.sqrt(7.0 / 1.2), rtol=1e-12)
    simple = modes(beam(conditions=HELD), Sines(5)).frequencies
    np.testing.assert_allclose(simple, k**2 * np.sqrt(4.0 / 1.2), rtol=1e-12)


@cache
def by_polynomials():
    """24 of them: converged to rounding."""
    return modes(HEAVIER, 24).frequencies[:2]


@pytest.mark.parametrize("size", [Sines(3), Splines(4), 4, rt.Elements(4)])
def test_every_basis_finds_the_same_modes_of_a_beam_with_a_mass_that_varies(size):
    found = modes(HEAVIER, size, count=2, converged=1e-4)
    np.testing.assert_allclose(found.frequencies, by_polynomials(), rtol=1e-4)


def test_numbers_of_numpy_are_numbers():
    bent = rt.System(
        kinetic=integral(m / 2 * ddt(w) ** 2, s),
        potential=integral(
            EI / 2 * sympy.Piecewise((1, s < 0.3 * L), (2, True)) * diff(w, s, 2) ** 2, s
        ),
        constraints=list(CLAMP),
    )
    for one, other in ((rt.Elements(5), rt.Elements(np.int64(5))), (6, np.int64(6))):
        own = [
            modes(beam() if one == 6 else bent, each, count=2, converged=1e-3) for each in (one, other)
        ]
        np.testing.assert_array_equal(own[0].frequencies, own[1].frequencies)
