"""Mass matrices turned around: one fraction for each block, or squares, in lowest terms."""

from __future__ import annotations

import pytest
import sympy
from sympy import ImmutableDenseMatrix as Matrix

import routh as rt
from problems import heavy_top, spherical_pendulum
from routh.mechanics.forms.printing import operations
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.transforms.quadratic_inverse import inverted_blocks
from sampling import assert_same


def single_fractions(H):
    """The terms of H that have a sum below the line."""
    terms = sympy.Add.make_args(H)
    return [term for term in terms if sympy.fraction(term)[1].has(sympy.Add)]


@pytest.fixture(scope="module")
def double_pendulum():
    """Two bobs with absolute angles, and their Hamiltonian."""
    th1, th2 = rt.coordinates("theta1 theta2")
    m1, m2, l1, l2, g = rt.parameters("m1 m2 l1 l2 g")
    r1 = l1 * rt.vector(rt.sin(th1), -rt.cos(th1))
    r2 = r1 + l2 * rt.vector(rt.sin(th2), -rt.cos(th2))
    system = rt.System(
        kinetic=[m1 * rt.norm2(rt.ddt(r1)) / 2, m2 * rt.norm2(rt.ddt(r2)) / 2],
        potential=[m1 * g * r1[1], m2 * g * r2[1]],
    )
    return rt.hamiltonian(system), (th1, th2, m1, m2, l1, l2, g)


def test_the_double_pendulum_is_one_fraction_and_the_potential(double_pendulum):
    found, (th1, th2, m1, m2, l1, l2, g) = double_pendulum
    p1, p2 = found.momenta
    away = th1 - th2
    above = m2 * l2**2 * p1**2 + (m1 + m2) * l1**2 * p2**2 - 2 * m2 * l1 * l2 * p1 * p2 * rt.cos(away)
    below = 2 * m2 * l1**2 * l2**2 * (m1 + m2 * rt.sin(away) ** 2)
    V = -(m1 + m2) * g * l1 * rt.cos(th1) - m2 * g * l2 * rt.cos(th2)
    assert_same(found.H, above / below + V)  # as textbooks print it
    assert operations(found.H) <= 80
    (fraction,) = single_fractions(found.H)
    assert_same(sympy.fraction(fraction)[1], below)  # in lowest terms
    assert operations(sympy.fraction(fraction)[1]) <= operations(below)


def test_canonical_equations_are_slopes_of_the_hamiltonian(double_pendulum):
    found, _ = double_pendulum
    for slope, q in zip(found.slopes, found.system.coordinates, strict=True):
        assert_same(slope, found.H.diff(q))
    for rate, p in zip(found.q_rates, found.momenta, strict=True):
        assert_same(rate, found.H.diff(p))


def test_the_top_is_a_sum_of_squares():
    found = rt.hamiltonian(heavy_top().system)
    phi, psi = (next(p for p in found.momenta if p.name == name) for name in ("p_phi", "p_psi"))
    q = next(x for x in found.system.coordinates if x.name == "theta")
    squares = [t for t in sympy.Add.make_args(found.H) if t.has(phi)]
    assert len(squares) == 1
    assert squares[0].has((phi - psi * sympy.cos(q)) ** 2)
    assert operations(found.H) <= 24


def test_coordinates_that_do_not_feel_each_other_stay_apart():
    found = rt.hamiltonian(spherical_pendulum().system)
    assert not single_fractions(found.H)
    assert sum(term.has(*found.momenta) for term in sympy.Add.make_args(found.H)) == 2


def test_a_block_solves_its_equations_whatever_the_angles():
    a, b, m, k = (*rt.coordinates("a b"), *rt.parameters("m k"))
    sin, cos = rt.sin, rt.cos
    matrices = [
        [[m + k, m * cos(2 * a)], [m * cos(2 * a), m * (1 + cos(a) ** 2)]],
        [[m * (2 + sin(a)), k * sin(b)], [k * sin(b), k * (3 - cos(b / 2))]],
        [[m, 0, m * cos(a)], [0, k * cos(b) ** 2 + m, 0], [m * cos(a), 0, 2 * m]],
        [[2 + a**2, a * b, k], [a * b, 3 + b**2, m * sin(a)], [k, m * sin(a), 5]],
        [[-m, m * cos(a)], [m * cos(a), -k - m * cos(a) ** 2]],
        [[m, 0], [0, -k]],
        [[-2 * k * m * (m - k), k], [k, 0]],
        [[m / a, k], [k, sympy.sqrt(m + b**2) * 4]],
        [[0.5 * m, 0.25 * k * cos(a)], [0.25 * k * cos(a), 2.0 * k]],
    ]
    for entries in matrices:
        W = Matrix(entries)
        y = [sympy.Symbol(f"y{i}") for i in range(W.rows)]
        blocks = inverted_blocks(W, Tidy(0.0), lowest=True)
        assert sorted(i for block in blocks for i in block.places) == list(range(W.rows))
        x = dict.fromkeys(range(W.rows), sympy.S.Zero)
        for block in blocks:
            x |= dict(zip(block.places, block.solved(y), strict=True))
        column = Matrix([x[i] for i in range(W.rows)])
        assert_same(W * column, Matrix(y), digits=13 if W.has(sympy.Float) else 25)
        whole = sympy.Add(*(block.transform(y) for block in blocks))
        digits = 13 if W.has(sympy.Float) else 25
        assert_same(whole, (Matrix(y).T * column)[0] / 2, digits=digits)


def test_the_reduced_lagrangian_is_that_of_the_definition():
    phi, theta = rt.coordinates("phi theta")
    J, m, r, l, g = rt.parameters("J m r l g")
    sin, cos = rt.sin, rt.cos
    arm = r * rt.vector(cos(phi), sin(phi), 0)
    bob = arm + l * rt.vector(-sin(theta) * sin(phi), sin(theta) * cos(phi), cos(theta))
    furuta = rt.System(
        kinetic=[J * phi.rate**2 / 2, m * rt.norm2(rt.ddt(bob)) / 2], potential=m * g * bob[2]
    )
    found = rt.routhian(furuta, phi)
    p = found.momenta[phi]
    L = sympy.Add(*furuta.kinetic) - sympy.Add(*furuta.potential)
    expected = (L - p * phi.rate).subs(phi.rate, found.velocities[phi])
    assert_same(found.R, expected)
    assert_same(found.definitions[phi].subs(phi.rate, found.velocities[phi]), p)
    assert found.whole is furuta
