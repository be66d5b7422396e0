"""Narrow notches, masses and loads along a space are seen, or refused: nothing vanishes between points."""

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Rational

import routh as rt
from depth import draws
from routh import at, ddt, diff, integral
from routh.analysis.given.resolve import resolved

L, EI, m, c, b, F = rt.parameters("L EI m c b F")
s = rt.space("s", 0, L)
w = rt.field("w", s)
x = s / L
UNIT = {"L": 1.0, "EI": 1.0, "m": 1.0}
HELD = [at(w, s, 0), at(w, s, L)]
BASES = [6, 14, rt.Elements(3), rt.Elements(17), [sympy.sin(k * sympy.pi * x) for k in (1, 2, 3)]]


def system(stiffness=1, mass=1, load=0):
    potential = EI * stiffness / 2 * diff(w, s, 2) ** 2 + load * w
    kinetic = m * mass / 2 * ddt(w) ** 2
    return rt.System(kinetic=integral(kinetic, s), potential=integral(potential, s), constraints=HELD)


SHAPES = {
    "box": sympy.Heaviside(x - c) * sympy.Heaviside(c + b - x),
    "piecewise": sympy.Piecewise((1, sympy.And(x > c, x < c + b)), (0, True)),
    "hat": sympy.Max(0, 1 - sympy.Abs((x - c) / b)),
    "sign": (sympy.sign(x - c) - sympy.sign(x - c - b)) / 2,
    "gauss": sympy.exp(-(((x - c) / b) ** 2)),
    "lorentz": 1 / (1 + ((x - c) / b) ** 2),
    "tanh": (sympy.tanh((x - c) / b) + 1) / 2,
    "sech": 1 / sympy.cosh((x - c) / b),
    "logistic": 1 / (1 + sympy.exp((x - c) / b)),
    "erf": sympy.erf((x - c) / b),
    "atan": sympy.atan((x - c) / b),
    "root": sympy.sqrt(((x - c) / b) ** 2 + 1) * b,
}


def exact(shape, place, width, power):
    """The integral of a shape times a power of s from 0 to 1, by mpmath with 25 digits."""
    numbers = {c: sympy.Float(place, 30), b: sympy.Float(width, 30), L: 1}
    with mpmath.workdps(25):
        f = sympy.lambdify(s, SHAPES[shape].subs(numbers), "mpmath")
        steps = [width * 3**k for k in range(-2, 60) if width * 3**k < 1]
        near = [place, place + width, *(place + sign * step for sign in (-1, 1) for step in steps)]
        places = sorted({0.0, 1.0, *(p for p in near if 0 < p < 1)})
        return float(mpmath.quad(lambda z: f(z) * z**power, [mpmath.mpf(p) for p in places]))


def summed(made, shape, values, power):
    """The same with the points and weights of a system."""
    rule = made.rules[s]
    places = (1 + rule.xi) / 2
    f = sympy.lambdify((s, c, b, L), SHAPES[shape], ["scipy", "numpy"])
    with np.errstate(over="ignore"):
        density = np.broadcast_to(f(places, values["c"], values["b"], 1.0), places.shape)
    return float(density * places**power @ rule.weights / 2)


def resolved_at(made, values):
    return resolved(made, np.array([[values[p.name] for p in made.parameters]]))


def check_integrals(seed, count):
    random = np.random.default_rng(seed)
    made = {
        name: [rt.discretize(system(mass=1 + f), {w: n}) for n in BASES] for name, f in SHAPES.items()
    }
    for _ in range(count):
        shape = str(random.choice(list(SHAPES)))
        place, width = float(random.uniform(0.02, 0.98)), float(10 ** random.uniform(-6, -1))
        values = UNIT | {"c": place, "b": width}
        fine = resolved_at(made[shape][random.integers(len(BASES))], values)
        for power in (0, 5):
            expected = exact(shape, place, width, power)
            off = summed(fine, shape, values, power) - expected
            # the places themselves are rounded: 1e-16 of a width of 1e-6
            assert abs(off) <= (1e-8 + 1e-15 / width) * abs(expected) + 1e-15, (shape, place, width)


@pytest.mark.slow
def test_narrow_shapes_of_any_width_are_integrated():
    check_integrals(seed=5, count=8)


@pytest.mark.slow
def test_narrow_shapes_of_any_width_are_integrated_hundreds_of_times():
    check_integrals(seed=6, count=400)


def test_a_gaussian_of_a_billionth_of_the_length_is_seen():
    values = UNIT | {"c": 0.31379, "b": 1e-9}
    fine = resolved_at(rt.discretize(system(mass=SHAPES["gauss"]), {w: 8}), values)
    assert summed(fine, "gauss", values, 0) == pytest.approx(1e-9 * np.sqrt(np.pi), rel=1e-6)


def test_polynomials_keep_their_points():
    made = rt.discretize(system(mass=1 + x**2, load=F * x), {w: 8})
    assert resolved_at(made, UNIT | {"F": 1.0}) is made
    smooth = rt.discretize(system(mass=1 + sympy.sin(x)), {w: 8})
    assert resolved_at(smooth, UNIT) is smooth


def characteristic(omega, lengths, stiffness, masses):
    """Zero where a beam of uniform pieces, held at its ends, vibrates: by transfer matrices."""
    T = mpmath.eye(4)
    for length, k, mu in zip(lengths, stiffness, masses, strict=True):
        A = mpmath.matrix(4)  # of w, w', M = EI w'', Q = M'
        A[0, 1] = A[2, 3] = 1
        A[1, 2] = 1 / mpmath.mpf(k)
        A[3, 0] = mu * omega**2
        T = mpmath.expm(A * length, method="taylor") * T
    return T[0, 1] * T[2, 3] - T[0, 3] * T[2, 1]


def first_frequency(near, lengths, stiffness, masses):
    with mpmath.workdps(30):
        return float(
            mpmath.findroot(lambda o: characteristic(o, lengths, stiffness, masses), mpmath.mpf(near))
        )


def frequency(made, values):
    return float(rt.modes(rt.linearize(rt.equilibrium(made, values)), count=1).frequencies[0])


def is_marked(made, values):
    """Whether the first mode is said not to be converged."""
    return not rt.modes(rt.linearize(rt.equilibrium(made, values)), count=1).converged[0]


def check_beams(seed, count):
    random = np.random.default_rng(seed)
    notched = system(stiffness=sympy.Piecewise((F, sympy.And(x > c, x < c + b)), (1, True)))
    loaded = system(mass=1 + (F - 1) * SHAPES["box"])
    refused = 0
    for _ in range(count):
        place, width = float(random.uniform(0.1, 0.8)), float(10 ** random.uniform(-6, -1))
        is_notch = random.random() < 0.5
        factor = float(random.uniform(0.01, 1)) if is_notch else 1 + float(random.uniform(0, 1)) / width
        size = BASES[random.integers(4)]
        values = UNIT | {"c": place, "b": width, "F": factor}
        middle = [1, factor, 1]
        try:
            found = frequency(rt.discretize(notched if is_notch else loaded, {w: size}), values)
        except rt.DerivationError as error:
            if not is_notch or "cannot follow its stiffness" not in str(error):
                raise
            refused += 1
            continue
        lengths = [place, width, 1 - place - width]
        ones = [1, 1, 1]
        kinds = (middle, ones) if is_notch else (ones, middle)
        expected = first_frequency(found, lengths, *kinds)
        if found != pytest.approx(expected, rel=1.2e-2):  # few elements, most of them in the notch
            assert is_marked(rt.discretize(notched if is_notch else loaded, {w: size}), values), (
                size,
                values,
            )
    return refused


@pytest.mark.slow
def test_randomly_placed_notches_and_masses_are_right_or_refused():
    count = draws(3, 8)
    assert check_beams(seed=7, count=count) < count * 2 / 3


@pytest.mark.slow
def test_randomly_placed_notches_and_masses_are_right_or_refused_hundreds_of_times():
    check_beams(seed=8, count=400)


@pytest.mark.parametrize("size", [12, rt.Elements(4), rt.Elements(20)])
@pytest.mark.parametrize("width", [1e-1, 1e-3, 1e-6])
def test_a_narrow_load_bends_a_beam_as_much_as_it_weighs(size, width):
    place = 0.37
    made = rt.discretize(system(load=F * SHAPES["box"] / b), {w: size})
    values = UNIT | {"c": place - width / 2, "b": width, "F": 48.0}
    found = rt.equilibrium(made, values).field(w, 0.5)[0]

    def influence(a):  # of a force at a on the middle of a beam held at its ends
        a = min(a, 1 - a)
        return -a * (3 - 4 * a**2)

    places = np.linspace(place - width / 2, place + width / 2, 2001)
    expected = np.mean([influence(a) for a in (places[1:] + places[:-1]) / 2])
    assert found == pytest.approx(expected, rel=3e-3)


def test_elements_end_where_properties_jump():
    stiffness = sympy.Piecewise((1, x < c), (3, True))
    made = rt.discretize(system(stiffness=stiffness), {w: rt.Elements(10)})
    found = frequency(made, UNIT | {"c": 0.4137})
    expected = first_frequency(found, [0.4137, 0.5863], [1, 3], [1, 1])
    assert found == pytest.approx(expected, rel=1e-4)
    rest = rt.equilibrium(made, UNIT | {"c": 0.4137})
    assert rest.system.coordinates == made.coordinates


def test_an_accuracy_is_not_overstated_across_a_jump():
    stiffness = sympy.Piecewise((1, x < c), (2, True))
    linear = rt.linearize(
        rt.equilibrium(rt.discretize(system(stiffness=stiffness), {w: 12}), UNIT | {"c": 0.4137})
    )
    found = rt.modes(linear, count=1, converged=1e-2)
    expected = first_frequency(found.frequencies[0], [0.4137, 0.5863], [1, 2], [1, 1])
    assert abs(found.frequencies[0] / expected - 1) <= found.accuracy <= 1e-2


def test_a_hidden_notch_is_in_the_accuracy():
    """A notch with half a percent of the flexibility, which polynomials do not see at all."""
    stiffness = sympy.Piecewise((Rational(1, 100), sympy.And(x > c, x < c + b)), (1, True))
    values = UNIT | {"c": 0.47, "b": 5e-5}
    linear = rt.linearize(rt.equilibrium(rt.discretize(system(stiffness=stiffness), {w: 12}), values))
    found = rt.modes(linear, count=1, converged=1e-1)
    lengths = [0.47, 5e-5, 0.53 - 5e-5]
    expected = first_frequency(found.frequencies[0], lengths, [1, 0.01, 1], [1, 1, 1])
    error = abs(found.frequencies[0] / expected - 1)
    assert 1e-3 < error <= found.accuracy


@pytest.mark.slow
def test_accuracy_keeps_the_points_asked_for():
    wavy = system(mass=1 + Rational(9, 10) * sympy.cos(60 * x))
    linear = rt.linearize(rt.equilibrium(rt.discretize(wavy, {w: 8}, points=300), UNIT))
    found = rt.modes(linear, count=2, converged=1e-3)
    assert found.linear.system.rules[s].per_cell >= 300
    other = rt.linearize(rt.equilibrium(rt.discretize(wavy, {w: rt.Elements(120)}), UNIT))
    expected = rt.modes(other, count=2).frequencies  # cubics: h^4 with h = 1/120
    assert np.abs(found.frequencies / expected - 1).max() <= found.accuracy <= 1e-3


@pytest.mark.slow
def test_a_batch_of_places_has_the_answers_of_each():
    made = rt.discretize(system(mass=1 + SHAPES["box"] / b), {w: 8})
    places = np.array([0.11, 0.35, 0.721])
    values = UNIT | {"b": 1e-3}
    batch = rt.modes(rt.linearize(rt.equilibrium(made, values | {"c": places})), count=1)
    each = [frequency(made, values | {"c": place}) for place in places]
    np.testing.assert_allclose(batch.frequencies[:, 0], each, rtol=1e-10)


def test_too_many_places_in_a_batch_are_refused():
    made = rt.discretize(system(mass=1 + SHAPES["box"] / b), {w: 8})
    with pytest.raises(rt.DerivationError, match=r"500 points.*Loop over them"):
        rt.equilibrium(made, UNIT | {"b": 1e-3, "c": np.linspace(0.1, 0.8, 500)})


@pytest.mark.slow
def test_follow_refuses_a_jump_that_moves_and_follows_what_stays():
    made = rt.discretize(system(mass=1 + SHAPES["box"]), {w: 6})
    rest = rt.equilibrium(made, UNIT | {"b": 0.1, "c": 0.3})
    with pytest.raises(rt.DerivationError, match="moves with c"):
        rt.follow(rest, c, 0.5)
    assert len(rt.follow(rest, EI, 2.0)) > 1


@pytest.mark.slow
def test_a_load_that_moves_with_time_is_resolved_wherever_it_is():
    width = Rational(1, 50)
    load = sympy.exp(-(((x - F * rt.t) / width) ** 2)) / (width * sympy.sqrt(sympy.pi))
    made = rt.discretize(system(load=load), {w: 4})
    motion = rt.simulate(made, UNIT | {"F": 0.8}, {}, [0, 1.0])
    points = rt.simulate(
        rt.discretize(system(load=load), {w: 4}, points=200), UNIT | {"F": 0.8}, {}, [0, 1]
    )
    np.testing.assert_allclose(motion.q[-1], points.q[-1], rtol=1e-5, atol=1e-9)


def test_what_cannot_be_resolved_is_refused_with_what_to_do():
    jump = sympy.Heaviside(x - F * rt.t)
    with pytest.raises(rt.DerivationError, match=r"moves with t.*Write it smoother"):
        rt.simulate(rt.discretize(system(load=jump), {w: 4}), UNIT | {"F": 0.8}, {}, [0, 1.0])
    with pytest.raises(rt.DerivationError, match="grows without bound"):
        rt.equilibrium(rt.discretize(system(load=1 / sympy.Abs(x - c)), {w: 4}), UNIT | {"c": 0.3})


def test_stiffness_that_functions_cannot_follow_is_refused_with_the_places():
    stiffness = sympy.Piecewise(
        (Rational(1, 100), sympy.And(x > c, x < c + Rational(1, 200))), (1, True)
    )
    told = r"cannot follow.*nodes at 0\.4, 0\.405,"
    made = rt.discretize(system(stiffness=stiffness), {w: 12})
    linear = rt.linearize(rt.equilibrium(made, UNIT | {"c": 0.4}))  # undeformed, whatever it is made of
    for verb in (rt.modes, rt.stability):
        with pytest.raises(rt.DerivationError, match=told):
            verb(linear)
    with pytest.raises(rt.DerivationError, match=told):
        rt.equilibrium(
            rt.discretize(system(stiffness=stiffness, load=F), {w: 12}), UNIT | {"c": 0.4, "F": 1.0}
        )
