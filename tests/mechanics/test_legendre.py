"""Legendre transforms: convexity that is shown or refuted, branches, and the identities of Young."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy

import routh as rt
from routh import exp, log, sin, sqrt
from routh.mechanics.transforms.convexity import Shape, bending
from routh.mechanics.transforms.monotone import pieces

x, y = rt.coordinates("x y")
m, c, k, a = rt.parameters("m c k a")


def hessian(f, variables):
    return sympy.ImmutableDenseMatrix([[f.diff(p, q) for p in variables] for q in variables])


SHAPES = {
    "a quartic with a hump": (x**4 - x**2, [x], Shape.NEITHER),
    "a cubic": (x**3, [x], Shape.NEITHER),
    "a wave": (sin(x), [x], Shape.NEITHER),
    "a parabola with a wave": (x**2 + sin(x) / 3, [x], Shape.CONVEX),
    "just convex": (x**2 / 2 + sin(x), [x], Shape.CONVEX),
    "springs": (k * x**2 / 2 + a * x**4 / 4, [x], Shape.CONVEX),
    "a hump by a parameter": (x**4 - a * x**2, [x], Shape.NEITHER),
    "relativistic": (-m * c**2 * sqrt(1 - (x**2 + y**2) / c**2), [x, y], Shape.CONVEX),
    "a length": (sqrt(1 + x**2 + y**2), [x, y], Shape.CONVEX),
    "entropy": (x * log(x) - x, [x], Shape.CONVEX),
    "a modulus": (sympy.Abs(x) ** 3 / 3, [x], Shape.CONVEX),
    "a barrier": (-log(1 - x), [x], Shape.CONVEX),
    "a saddle": (x**2 - y**2, [x, y], Shape.NEITHER),
    "a saddle of quartics": (x**4 + y**4 - x * y, [x, y], Shape.NEITHER),
    "a cup": (x**2 + x * y + y**2, [x, y], Shape.CONVEX),
    "upside down": (-exp(x), [x], Shape.CONCAVE),
    "a pole": (1 / x**2, [x], Shape.NEITHER),
    "a narrow bump": (x**2 + exp(-(10**8) * (x - 5) ** 2) / 10**4, [x], Shape.NEITHER),
    "pieces": (sympy.Max(x, 0) ** 2, [x], Shape.OPEN),
}


@pytest.mark.parametrize("case", SHAPES)
def test_convexity_is_shown_or_refuted(case):
    f, variables, expected = SHAPES[case]
    assert bending(f, variables, hessian(f, variables)).shape is expected


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(s, marks=pytest.mark.slow) for s in range(12, 400))])  # fmt: skip
def test_pieces_of_polynomials_are_those_between_their_real_roots(seed):
    """Against Sturm's count of real roots, exactly."""
    draw = np.random.default_rng(seed)
    degree = int(draw.integers(2, 7))
    f = sum(int(draw.integers(-6, 7)) * x**n for n in range(degree + 1)) + x**degree
    second = sympy.expand(f.diff(x, 2))
    if not second.has(x):
        return
    found = pieces(f.diff(x), sympy.horner(second, x), x, f)
    assert found.complete
    ends = [piece.upper for piece in found.pieces[:-1]]
    assert ends == pytest.approx(_crossings(second), rel=1e-9, abs=1e-9)


def _crossings(second):
    """Real roots at which a polynomial changes its sign."""
    polynomial = sympy.Poly(second, x)
    found = []
    for factor, times in polynomial.sqf_list()[1]:
        if times % 2:
            found += [float(root) for root in factor.real_roots()]
    return sorted(found)


def test_branches_of_a_quartic_with_a_hump():
    found = rt.legendre(x**4 - x**2, x)
    assert not found.is_explicit
    assert not found.is_unique
    assert [branch.convex for branch in found.branches] == [True, False, True]
    ends = [float(branch.upper) for branch in found.branches[:2]]
    assert ends == pytest.approx([-1 / np.sqrt(6), 1 / np.sqrt(6)], rel=1e-14)
    assert "f is not convex" in str(found)
    assert "-sqrt(6)/6 < x < sqrt(6)/6" in str(found)
    (p,) = found.conjugates
    roots = sorted(float(r.real) for r in mpmath.polyroots([4, 0, -2, -0.3]))
    points = found.points({p: 0.3})
    assert [point.x[0] for point in points] == pytest.approx(roots, rel=1e-10)
    assert [point.value for point in points] == pytest.approx([0.3 * r - r**4 + r**2 for r in roots])
    with pytest.raises(rt.SolveError, match=r"not convex.*Found here: x = -0.6.*Choose one of points"):
        found({p: 0.3})
    (alone,) = (float(r.real) for r in mpmath.polyroots([4, 0, -2, -0.7]) if abs(r.imag) < 1e-12)
    assert found({p: 0.7}) == pytest.approx(0.7 * alone - alone**4 + alone**2, rel=1e-10)


@pytest.mark.parametrize("f", [x**4 - x**2, x**4 - a * x**2 + x**3 / 3, -(x**4) / 2 + 2 * x**2 + x])
def test_branches_of_a_quartic_have_closed_forms_on_their_whole_length(f):
    """By the roots of the cubic slope, within the turns and far beyond them."""
    f_at = f.subs(a, 1.5)
    found = rt.legendre(f, x, simplify=0)
    (p,) = found.conjugates
    for y in (-30.0, -2.1, -0.3, 0.0, 0.31, 2.2, 40.0):
        roots = sympy.Poly(f_at.diff(x) - y, x).nroots(n=30)
        real = [r for r in roots if abs(sympy.im(r)) < 1e-20]
        values = sorted(float(y * r - f_at.subs(x, r)) for r in map(sympy.re, real))
        told = [
            complex(branch.transform.subs(a, 1.5).subs(p, y).evalf(20))
            for branch in found.branches
            if all(
                limit is None or (y - float(limit.subs(a, 1.5))) * side > 0
                for limit, side in zip(
                    branch.slopes, (1, -1) if branch.convex else (-1, 1), strict=True
                )
            )
        ]
        assert len(told) == len(values)
        assert max(abs(value.imag) for value in told) < 1e-15
        assert sorted(value.real for value in told) == pytest.approx(values, rel=1e-12, abs=1e-12)


def test_a_lagrangian_that_is_not_convex_has_a_hamiltonian_on_each_branch():
    q = rt.coordinate("q")
    v = rt.ddt(q)
    found = rt.hamiltonian(rt.System(lagrangian=v**4 / 4 - v**2 / 2 - q**2 / 2), simplify=0)
    (p,) = found.momenta
    assert found.is_ambiguous
    assert "  q' > sqrt(3)/3, that is p_q > -2*sqrt(3)/9, where L is convex: H = " in str(found)
    for own, speed in zip(found.branches, (-1.4, 0.2, 1.4), strict=True):
        at = {p: speed**3 - speed, q: 0.7}
        energy = 0.75 * speed**4 - speed**2 / 2 + 0.245
        assert complex(own.transform.subs(at)) == pytest.approx(energy, rel=1e-12)
        assert complex(own.transform.diff(p).subs(at)) == pytest.approx(speed, rel=1e-9)  # q' = H_p
    told = str(rt.derive(found)["Hamiltonian"])
    assert "For -sqrt(3)/3 < q' < sqrt(3)/3" in told
    assert "read cosh and acosh for cos and acos" in told


def test_branches_of_a_cubic_in_closed_form():
    found = rt.legendre(x**3, x)
    (p,) = found.conjugates
    below, above = (branch.transform.subs(p, 0.48) for branch in found.branches)
    assert float(above) == pytest.approx(0.48 * 0.4 - 0.4**3, rel=1e-12)
    assert float(below) == pytest.approx(-float(above), rel=1e-12)


def test_a_wave_has_ever_more_branches():
    found = rt.legendre(sin(x), x)
    assert "and others further out" in str(found)
    inner = next(branch for branch in found.branches if branch.lower == 0)
    assert (inner.upper, inner.convex) == (sympy.pi, False)
    (p,) = found.conjugates
    assert float(inner.transform.subs(p, 0.2)) == pytest.approx(0.2 * np.arccos(0.2) - np.sqrt(0.96))
    with pytest.raises(rt.SolveError, match="and perhaps others"):
        found({p: 0.2})


def test_a_hump_by_a_parameter_ends_where_the_parameter_says():
    found = rt.legendre(x**4 - a * x**2, x, simplify=0.3)
    assert [branch.convex for branch in found.branches] == [True, False, True]
    assert float(found.branches[0].upper.subs(a, 1.5)) == pytest.approx(-0.5, rel=1e-12)


CONVEX = {
    "a wave": x**2 + sin(x) / 3,
    "a quartic": x**4 / 4 + x**2 / 2,
    "a length": sqrt(1 + x**2),
    "a barrier": -log(1 - x),
    "entropy": x * log(x) - x,
    "hyperbolic": sympy.cosh(x),
    "logarithmic": log(sympy.cosh(x)),
}


@pytest.mark.parametrize("case", CONVEX)
def test_young(case):
    """f(x) + f*(y) = x y where y = f'(x), and more than x y elsewhere; f** = f by a second search."""
    f = CONVEX[case]
    found = rt.legendre(f, x, simplify=0.1)
    assert found.bending.shape is Shape.CONVEX
    (p,) = found.conjugates
    number = sympy.lambdify(x, [f, f.diff(x)], "mpmath")
    for place in (0.31, 0.77):
        value, slope = (float(each) for each in number(place))
        assert value + found({p: slope}) == pytest.approx(place * slope, rel=1e-9)
        other = found({p: 0.8 * slope})
        assert value + other > 0.8 * slope * place
        # f** at x: the largest of x y - f*(y) is at y = f'(x), so the slope of f* there is x
        step = 1e-4 * abs(slope)
        rise = (found({p: slope + step}) - found({p: slope - step})) / (2 * step)
        assert rise == pytest.approx(place, rel=1e-5)  # central differences, error of step^2


def test_saddles_and_what_is_upside_down_are_told():
    saddle = rt.legendre(m * x**2 / 2 - k * y**2 / 2, [x, y])
    p, q = saddle.conjugates
    assert sympy.expand(saddle.transform - p**2 / (2 * m) + q**2 / (2 * k)) == 0
    assert "f* is a stationary value" in saddle.remark
    concave = rt.legendre(-(x**2), x)
    assert "f is concave" in concave.remark
    assert rt.legendre(m * x**2 / 2, x).remark == ""


@pytest.mark.slow
def test_several_variables_that_are_not_convex_do_not_choose_for_themselves():
    found = rt.legendre(x**4 + y**4 - x * y, [x, y], simplify=0.1)
    p, q = found.conjugates
    with pytest.raises(rt.SolveError, match=r"x = 0.7\d+, y = 0.7\d+: f\* = 0.98996 and perhaps"):
        found({p: 0.7, q: 0.7})  # 4 x^3 - x = 0.7


def test_what_has_no_closed_form_ends_in_numbers():
    found = rt.legendre(x**2 + sin(x) / 3, x, simplify=0.2)
    (p,) = found.conjugates
    place = float(mpmath.findroot(lambda z: 2 * z + mpmath.cos(z) / 3 - 1.7, 0.7))
    expected = 1.7 * place - place**2 - np.sin(place) / 3
    assert not found.is_explicit
    assert found({p: 1.7}) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "f", [x**2 - rt.log(x**2), pytest.param(x**2 + rt.tan(x) ** 2, marks=pytest.mark.slow)]
)
def test_poles_of_logarithms_and_tangents_leave_convexity_open(f):
    made = rt.legendre(f, x)
    assert made.bending.shape is not Shape.CONVEX
    with pytest.raises(rt.SolveError, match="perhaps others"):
        made({made.conjugates[0]: 1.0})


@pytest.mark.slow
def test_signs_of_parameters_that_were_taken_for_granted_are_looked_at():
    a, b = rt.parameters("a b")
    made = rt.legendre(a * x**4 + b * x**2, x)
    p = made.conjugates[0]
    assert made({p: 0.1, a: 1.0, b: 1.0}) == pytest.approx(0.0024938, rel=1e-4)
    with pytest.raises(rt.SolveError, match=r"^f is convex .*others.*0\.321919"):  # three x have it
        made({p: 0.1, a: 1.0, b: -1.0})
    assert str(rt.legendre(a * x**4 - b * x**2, x)).count("for positive a, b") == 3


def test_a_hamiltonian_is_refused_for_values_with_which_l_is_not_convex():
    """v - v^3 = 0.2 has three roots; v + v^3 = 0.2 has one."""
    z, (a,) = rt.coordinate("z"), rt.parameters("a")
    system = rt.System(lagrangian=a * rt.ddt(z) ** 4 / 4 + rt.ddt(z) ** 2 / 2 - z**2 / 2)
    assert sum(abs(np.imag(np.roots([-1, 0, 1, -0.2]))) < 1e-12) == 3
    found = rt.hamiltonian(system, simplify=0)
    v = found({a: 1.0}, {z: 0.0}, {z: 0.2}).v[0]
    assert v + v**3 == pytest.approx(0.2, rel=1e-12)
    with pytest.raises(rt.DerivationError, match="L is not convex in z' for a = -1"):
        found({a: -1.0}, {z: 0.0}, {z: 0.2})
    several = found({a: np.array([1.0, -1.0, 0.0])}, {z: 0.0}, {z: 0.2}).v[:, 0]
    np.testing.assert_allclose(several, [v, np.nan, 0.2], rtol=1e-12)
    with pytest.raises(rt.SolveError, match="L is not convex in z' for a = -1"):
        rt.simulate(system, {a: -1.0}, {rt.ddt(z): 0.1}, [0, 0.1], form="hamilton")


def test_values_may_make_convex_what_is_not_for_positive_parameters():
    z, (a, b) = rt.coordinate("z"), rt.parameters("a b")
    found = rt.hamiltonian(rt.System(lagrangian=a * rt.ddt(z) ** 4 - b * rt.ddt(z) ** 2), simplify=0)
    with pytest.raises(rt.DerivationError, match="L is not convex"):
        found({a: 1.0, b: 1.0}, {}, {z: 0.2})
    v = found({a: 1.0, b: -1.0}, {}, {z: 0.2}).v[0]
    assert 4 * v**3 + 2 * v == pytest.approx(0.2, rel=1e-12)
    sized = rt.System(lagrangian=(a - b) * rt.ddt(z) ** 2 / 2 + rt.ddt(z) ** 4)
    v = rt.hamiltonian(sized, simplify=0)({a: 3.0, b: 1.0}, {}, {z: 0.2}).v[0]
    assert 4 * v**3 + 2 * v == pytest.approx(0.2, rel=1e-12)
    with pytest.raises(rt.DerivationError, match="for a = 1, b = 3"):
        rt.hamiltonian(sized, simplify=0)({a: 1.0, b: 3.0}, {}, {z: 0.2})


def test_velocities_that_do_not_have_the_momenta_are_refused():
    x = rt.coordinate("x")
    kinked = rt.System(lagrangian=rt.ddt(x) ** 2 / 2 + abs(rt.ddt(x)) - x**2 / 2)
    with pytest.raises(rt.SolveError, match="No velocities"):  # v + sign(v) = 2.28 at 1.28, not at 2.28
        rt.hamiltonian(kinked)({}, {x: 0.3}, {x: 2.28})
