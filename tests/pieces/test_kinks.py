"""Derivatives are taken only where they exist: at kinks every verb that differentiates says so."""

import numpy as np
import pytest
import sympy

import routh as rt
from routh import cos, ddt, sin, t

x, y, phi = rt.coordinates("x y phi")
f, k = rt.input("f"), rt.parameter("k")
R = sympy.Rational
ROUND = (x**2 + y**2) / 2


def plane(potential, **more):
    return rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=ROUND + potential, **more)


def line(potential, **more):
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2 + potential, **more)


def degree_of_kink(kind, p):
    """The potential of one kind whose Taylor parts differ between two sides from degree p on."""
    along = 2 * x - y
    return {
        "Max": sympy.Max(along, 0) ** p,
        "Min": sympy.Min(along, 0) ** p * (1 + x**2),
        "sign": sympy.sign(along) * along**p,
        "Abs": sympy.Abs(along) * along ** (p - 1),
        "Heaviside": sympy.Heaviside(along) * along**p,
        "floor": sympy.floor(along) * along**p,
        "Piecewise": sympy.Piecewise((along**p + x**2, along >= 0), (x**2, True)),
        "corner": sympy.Max(along, 0) ** (p - p // 2) * sympy.Max(y, 0) ** (p // 2),
        "nested": sympy.Max(sympy.Abs(along) - y, 0) ** p,
    }[kind]


KINDS = ("Max", "Min", "sign", "Abs", "Heaviside", "floor", "Piecewise", "corner", "nested")


def forces(potential, place):
    """Slopes of a potential by central differences with forty digits."""
    h = sympy.Float(10) ** -15

    def at(moved, by):
        exact = {
            q: sympy.Float(str(value), 40) + (by if q == moved else 0) for q, value in place.items()
        }
        return potential.xreplace(exact).evalf(40)

    return [float((at(q, h) - at(q, -h)) / (2 * h)) for q in place]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("p", [2, pytest.param(3, marks=pytest.mark.slow), 4])
def test_parts_of_the_equations_exist_up_to_the_degree_of_the_kink(kind, p):
    # a kink of degree p in L is one of degree p - 1 in the equations
    rest = rt.equilibrium(plane(degree_of_kink(kind, p)), {})
    for order in (1, 2, 3):
        if order < p - 1:
            found = rt.expand(rest, order=order)
            eta = np.array([0.3, -0.4])
            for side in (1, -1):  # what is left besides is of one degree more
                ahead = sum(found(d, side * 1e-3 * eta, [0, 0], [0, 0]) for d in range(1, order + 1))
                place = dict(zip((x, y), side * 1e-3 * eta, strict=True))
                exact = forces(ROUND + degree_of_kink(kind, p), place)
                np.testing.assert_allclose(ahead, exact, atol=200 * 1e-3 ** (order + 1))
        else:
            with pytest.raises(rt.DerivationError, match="a kink at the equilibrium"):
                rt.expand(rest, order=order)
    if p == 2:
        with pytest.raises(rt.DerivationError, match="no linear model here"):
            rt.linearize(rest)
    else:
        np.testing.assert_allclose(rt.linearize(rest).K[1, 1], 1, rtol=1e-14)


@pytest.mark.parametrize(
    ("potential", "smooth"),
    [
        (sympy.Abs(x) * sympy.Abs(y), False),  # no kink along x alone, nor along y
        (sympy.Max(0, x) ** 2 * 10**-6 + 10**6 * (x - y) ** 2, False),
        (x ** R(5, 2), False),  # does not exist on one side
        (sympy.Piecewise((x**2, (y > R(99, 100) * x) & (y < R(101, 100) * x)), (0, True)), False),
        (sympy.Max(x**2 - y**2, 0), False),
        (sympy.Max(x**2 - y**2, 0) * x, True),
        (sympy.Abs(x) - sympy.Max(x, 0) - sympy.Max(-x, 0), True),
        (x * sympy.Abs(x) * sympy.sign(x), True),
        (sympy.Max(sin(x) ** 2, 0) * x, True),
        (sympy.Max(x - 1, 0) + sympy.Abs(y + 2) ** R(3, 2), None),
        (sympy.Piecewise((rt.log(x), x > 2), (x**3, True)), True),
    ],
)
def test_only_sides_that_are_met_count(potential, smooth):
    rest = rt.equilibrium(plane(potential), {}, raises=False)
    if smooth is None:  # far from all switches
        assert rest.converged
        assert np.isfinite(rt.linearize(rest).K).all()
    elif smooth:
        assert np.isfinite(rt.linearize(rest).K).all()
    else:
        with pytest.raises(rt.DerivationError, match="no linear model here"):
            rt.linearize(rest)


def test_a_kink_away_from_zero_is_found_where_rounding_puts_the_rest():
    # sin(pi) is 1.2e-16 and the rest is where Newton's method ended, not where branches meet
    theta = rt.coordinate("theta")
    for a in (0.1, 1 / 3, 7.7, 1e3):
        T = ddt(theta) ** 2 / 2
        for p, smooth in ((2, False), (3, True)):
            stop = sympy.Max(theta - a, 0) ** p / 2
            rest = rt.equilibrium(rt.System(kinetic=T, potential=(theta - a) ** 2 + stop), {})
            if smooth:
                np.testing.assert_allclose(rt.linearize(rest).K, [[2]], rtol=1e-9)
            else:
                with pytest.raises(rt.DerivationError, match="no linear model here"):
                    rt.linearize(rest)


def test_inputs_with_a_kink_have_no_column():
    rest = rt.equilibrium(line(0, forces={x: sympy.Max(f, 0)}), {})
    with pytest.raises(rt.DerivationError, match=r"branches of `Max\(0, f\)` meet"):
        rt.linearize(rest)
    pushed = rt.equilibrium(line(0, forces={x: sympy.Max(f, 0)}), {}, inputs={f: 0.5})
    np.testing.assert_allclose(rt.linearize(pushed).B, [[1]], rtol=1e-14)
    rt.expand(rest, order=3)  # which holds inputs where they are


def test_points_of_a_batch_at_a_kink_are_nan_in_every_form():
    pressed = line(sympy.Max(0, x) ** 2 / 2 - k * x)
    linear = rt.linearize(rt.equilibrium(pressed, {"k": [1.0, -1.0, 0.0]}))
    for matrix in (linear.K, linear.canonical.A, linear.descriptor.K):
        assert np.isfinite(matrix[:2]).all()
        assert np.isnan(matrix[2]).any()
    read = rt.state_space(rt.linearize(rt.equilibrium(line(-k * x), {"k": [1.0, 0.0]})), [abs(x)])
    assert read.C[0, 0, 0] == 1
    assert np.isnan(read.C[1]).any()


def test_normal_form_says_where_the_frequency_grows_with_the_amplitude_itself():
    # V = x^2/2 + |x|^3/3 has the frequency 1 + 4 A/(3 pi): no square of A says that
    with pytest.raises(rt.DerivationError, match="no parts up to degree 3 here"):
        rt.normal_form(rt.equilibrium(line(sympy.Abs(x) ** 3 / 3), {}))
    with pytest.raises(rt.DerivationError, match="no parts up to degree 3 here"):
        rt.normal_form(rt.expand(rt.equilibrium(line(sympy.Abs(x) ** 3 / 3), {}), order=1))
    smooth = rt.normal_form(rt.equilibrium(line(sympy.Abs(x) ** 5 / 5 + x**4 / 4), {}))
    np.testing.assert_allclose(smooth.shift, [3 / 8], rtol=1e-12)


def test_tensors_of_higher_degree_ask_again():
    taylor = rt.expand(rt.equilibrium(line(sympy.Abs(x) ** 5), {}), order=2)
    taylor.tensor(3)
    with pytest.raises(rt.DerivationError, match="no derivatives of L of degree 5"):
        taylor.tensor(5)


OUTPUTS = [
    sympy.Max(x, 0), sympy.Abs(x), sympy.sign(x), sympy.Heaviside(x), sympy.floor(x), sympy.sqrt(x),
    x ** R(3, 2), rt.log(x), 1 / x, sympy.Piecewise((x, x > 0), (2 * x, True)), sympy.Max(f, 0),
    sympy.Abs(ddt(x)), sympy.Max(ddt(x, 2), 0), sympy.sqrt(x**2 + f**2),
]  # fmt: skip


@pytest.mark.parametrize("output", OUTPUTS)
def test_outputs_without_slopes_are_refused(output):
    linear = rt.linearize(rt.equilibrium(line(0, forces={x: f}), {}))
    for read in (
        lambda: rt.state_space(linear, [x, output]),
        lambda: rt.frequency_response(linear, f, [x, output], [0.5]),
    ):
        with pytest.raises(rt.DerivationError, match="has no linear part at the equilibrium"):
            read()


def test_outputs_beside_a_kink_are_read():
    linear = rt.linearize(rt.equilibrium(line(-x, forces={x: f}), {}))  # it rests at x = 1
    outputs = [sympy.Max(x, 0), sympy.Abs(x) ** 3, sympy.sqrt(x), sympy.floor(x + R(1, 2))]
    found = rt.state_space(linear, outputs).C[:, 0]
    np.testing.assert_allclose(found, [1, 3, 1 / 2, 0], atol=1e-15)
    answer = rt.frequency_response(linear, f, outputs, [0.5]).transfer[0]
    np.testing.assert_allclose(answer, np.array([1, 3, 1 / 2, 0]) / 0.75, rtol=1e-14)


@pytest.mark.parametrize("output", [x * cos(t), x + cos(t), x * t, f * sin(t)])
def test_outputs_with_time_are_refused(output):
    linear = rt.linearize(rt.equilibrium(line(0, forces={x: f}), {}))
    for read in (
        lambda: rt.state_space(linear, [output]),
        lambda: rt.frequency_response(linear, f, output, [0.5]),
    ):
        with pytest.raises(rt.DerivationError, match="contains time"):
            read()


def test_time_that_cancels_in_an_output_does_not_matter():
    linear = rt.linearize(rt.equilibrium(line(0, forces={x: f}), {}))
    output = x * cos(3 * t) ** 2 + x * sin(3 * t) ** 2 + (t + x) ** 2 - t**2 - 2 * t * x
    np.testing.assert_allclose(rt.state_space(linear, [output]).C, [[1, 0]], atol=1e-15)


def test_slopes_that_change_along_a_steady_motion_are_refused():
    radius = rt.coordinate("r")
    T = (ddt(radius) ** 2 + radius**2 * ddt(phi) ** 2) / 2
    top = rt.System(kinetic=T, potential=(radius - 1) ** 2 * 10)
    steady = rt.equilibrium(top, {}, guess={radius: 1}, speeds={phi: 2.0})
    linear = rt.linearize(steady)
    rt.state_space(linear, [radius, phi, radius**2 * ddt(phi)])
    with pytest.raises(rt.DerivationError, match="slope that changes as `phi` moves on"):
        rt.state_space(linear, [radius * cos(phi)])


@pytest.mark.parametrize("elements", [10, 260])  # above 500 coordinates matrices are sparse
def test_bodies_on_one_sided_foundations(elements):
    s = rt.space("s", 0, 1)
    w = rt.field("w", over=s)
    kinetic, bending = rt.energies.euler_bernoulli(w, 1, 1)
    held = [rt.at(w, s, 0), rt.at(w, s, 1)]
    for p in (2, 3):
        base = rt.integral(50 * sympy.Max(w, 0) ** p, s)
        body = rt.System(kinetic=kinetic, potential=bending + base, constraints=held)
        rest = rt.equilibrium(rt.discretize(body, {w: rt.Elements(elements)}), {})
        if p == 2:
            with pytest.raises(rt.DerivationError, match="no linear model here"):
                rt.linearize(rest)
        else:
            # the foundation adds nothing to the stiffness, and pi^2 is the frequency of the beam
            lowest = rt.modes(rt.linearize(rest), count=1).frequencies[0]
            np.testing.assert_allclose(lowest, np.pi**2, rtol=1e-5)
        if elements == 10:
            with pytest.raises(rt.DerivationError, match="no parts up to degree 2"):
                rt.expand(rest, order=2)


def test_a_bent_body_passes_switches_at_single_places():
    s = rt.space("s", 0, 1)
    w = rt.field("w", over=s)
    kinetic, bending = rt.energies.euler_bernoulli(w, 1, 1)
    held = [rt.at(w, s, 0), rt.at(w, s, 1)]
    load = rt.integral(-300 * (s - R(12, 25)) * w, s)  # bends it up on one side and down on the other

    def rest(density):
        body = rt.System(
            kinetic=kinetic, potential=bending + load + rt.integral(density, s), constraints=held
        )
        return rt.equilibrium(rt.discretize(body, {w: 6}, points=40), {})

    smooth, bedded = (rest(p) for p in (w**2, sympy.Max(w, 0) ** 2 / 10**4))
    assert smooth.field(w, [0.1]) * smooth.field(w, [0.8]) < 0
    assert np.isfinite(rt.linearize(bedded).K).all()  # the bed holds where it is pressed
    with pytest.raises(rt.DerivationError, match=r"too few points|no linear model here"):
        rt.linearize(rest(sympy.Abs(w) / 10**5))  # its stiffness sits in the one place where w is zero
    with pytest.raises(rt.DerivationError, match="no parts up to degree 2"):
        rt.expand(bedded, order=2)
    beam = rt.System(kinetic=kinetic, potential=bending, constraints=held)
    straight = rt.linearize(rt.equilibrium(rt.discretize(beam, {w: 4}), {}))
    with pytest.raises(rt.DerivationError, match="has no linear part"):
        rt.state_space(straight, [rt.integral(sympy.Abs(w), s)])


# In symbols, and along motions -------------------------------------------------------------------


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "floor"])
@pytest.mark.parametrize("p", [2, 3])
def test_linear_equations_refuse_what_linearize_refuses(kind, p):
    system = plane(degree_of_kink(kind, p))
    if p == 2:
        with pytest.raises(rt.DerivationError, match="have a kink there"):
            rt.linear_equations(system, {x: 0, y: 0}, simplify=0)
    else:
        found = rt.linear_equations(system, {x: 0, y: 0}, simplify=0)
        K = np.array(found.K.subs({x: 0, y: 0}).doit().tolist(), dtype=float)
        np.testing.assert_allclose(K, rt.linearize(rt.equilibrium(system, {})).K, atol=1e-12)


def test_linear_equations_at_a_stop_that_is_a_parameter():
    a = rt.parameter("a")
    stop = line(sympy.Max(x - a, 0) ** 2)
    with pytest.raises(rt.DerivationError, match="kink there"):
        rt.linear_equations(stop, {x: a}, simplify=0)
    with pytest.raises(rt.DerivationError, match="kink there"):
        rt.linear_equations(line(0, dissipation=sympy.Abs(ddt(x))), {x: 0}, simplify=0)
    with pytest.raises(rt.DerivationError, match="no slopes that can be written out"):
        rt.linear_equations(line(sympy.floor(x) * x**4), {x: 0}, simplify=0)
    assert rt.linear_equations(stop, {x: a + 1}, simplify=0).K[0].subs(a, 5) == 3


def test_floquet_of_a_rest_with_a_kink_is_refused():
    driven = line(sympy.Max(x, 0) ** 2 + x**2 * cos(t) / 9)
    with pytest.raises(rt.DerivationError, match="is not linear"):
        rt.floquet(driven, {}, 2 * np.pi)


@pytest.mark.slow
def test_growth_is_not_told_where_forces_jump_along_the_motion():
    # V = x^2/2 + |x| from x = 1 takes four thirds of pi, and its multipliers are 1 and 1
    valley = line(sympy.Abs(x))
    motion = rt.periodic_motion(valley, {}, {x: 1}, 4.0)
    np.testing.assert_allclose(motion.period, 4 * np.pi / 3, rtol=1e-9)
    for asked in (lambda: motion.floquet, lambda: rt.follow(motion, "amplitude", 1.1)):
        with pytest.raises(rt.DerivationError, match=r"forces jump where `Abs\(x\)` switches"):
            asked()
    assert "forces jump" in str(motion)
    bent = rt.periodic_motion(line(sympy.Max(x, 0) ** 2), {}, {x: 1}, 5.0)  # a kink, no jump
    np.testing.assert_allclose(bent.period, np.pi * (1 + 1 / np.sqrt(3)), rtol=1e-9)
    np.testing.assert_allclose(bent.floquet.multipliers, [1, 1], atol=1e-6)
    rubbed = line(0, forces={x: -sympy.sign(ddt(x)) / 10})
    run = rt.simulate(rubbed, {}, {x: 1}, np.linspace(0, 5, 51), progress=False)
    with pytest.raises(rt.DerivationError, match="forces jump where"):
        rt.linearize(run)
