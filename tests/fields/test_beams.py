"""Rods, strings and beams: published values, exact characteristic equations, convergence, loads, joints.

Unless a test says otherwise the numbers of a beam are not 1, so that a power of a length, a mass or a
stiffness that is missing somewhere shows; frequencies are compared over sqrt(EI/(m L^4)).
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import mpmath as mp
import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import brentq

import routh as rt
from routh import at, cos, ddt, diff, energies, integral, norm2, rotation, sin, t, vector

LENGTH, STIFFNESS, MASS = 1.5, 4.0, 1.2
VALUES = {"L": LENGTH, "EI": STIFFNESS, "m": MASS}
UNIT = np.sqrt(STIFFNESS / (MASS * LENGTH**4))  # of a bending frequency
ROD_UNIT = np.sqrt(STIFFNESS / MASS) / LENGTH  # of a frequency of stretching
LOAD = STIFFNESS / LENGTH**2  # of a buckling load

ROUNDING = 1e-12
"""Relative: matrices of 12 to 30 functions and their eigenvalues lose three digits of sixteen at most."""

ENOUGH = 20
"""Legendre functions with which the first four frequencies of every beam here are converged."""

EQUATION = 1e-10
"""Relative, against roots of exact equations: they are converged, and two digits are spare."""


def declared():
    """A beam to be: parameters, its space, its field, its ends."""
    L, EI, m = rt.parameters("L EI m")
    s = rt.space("s", 0, L)
    w = rt.field("w", s)
    root, tip = at(w, s, 0), at(w, s, L)
    root_slope, tip_slope = at(diff(w, s), s, 0), at(diff(w, s), s, L)
    return SimpleNamespace(
        L=L, EI=EI, m=m, s=s, w=w,
        root=root, root_slope=root_slope, tip=tip, tip_slope=tip_slope,
        clamped=[root, root_slope], held=[tip, tip_slope],
        energies=energies.euler_bernoulli(w, m, EI),
    )  # fmt: skip


def linear(system, sizes, values, **options):
    return rt.linearize(rt.equilibrium(rt.discretize(system, sizes), values, **options))


def frequencies(system, sizes, values, **options):
    return rt.modes(linear(system, sizes, values, **options)).frequencies


def printed(texts):
    """Numbers as they are printed, and one unit of the last digit of each: some sources round, some cut.

    Where fifteen digits and more are printed, rounding in double precision decides.
    """
    numbers = np.array([float(text) for text in texts])
    units = np.array([10.0 ** -len(text.partition(".")[2]) for text in texts])
    return numbers, np.maximum(units, ROUNDING * np.abs(numbers))


def assert_printed(found, texts):
    numbers, units = printed(texts)
    assert np.shape(found) == numbers.shape
    assert (np.abs(found - numbers) <= units).all(), (found, texts)


# Published values, each with the number of functions that gives eight digits ----------------------------


def cantilever(n, mass=0.0, inertia=0.0, count=4):
    b = declared()
    M, J = rt.parameters("M J")
    system = rt.System(
        kinetic=b.energies[0] + M / 2 * ddt(b.tip) ** 2 + J / 2 * ddt(b.tip_slope) ** 2,
        potential=b.energies[1],
        constraints=b.clamped,
    )
    values = VALUES | {"M": mass * MASS * LENGTH, "J": inertia * MASS * LENGTH**3}
    return frequencies(system, {b.w: n}, values)[:count] / UNIT


def rod_with_tip_mass(n):
    b, M = declared(), rt.parameter("M")
    T, V = energies.rod(b.w, b.m, b.EI)
    system = rt.System(kinetic=T + M / 2 * ddt(b.tip) ** 2, potential=V, constraints=[b.root])
    return frequencies(system, {b.w: n}, VALUES | {"M": MASS * LENGTH})[:3] / ROD_UNIT


def tapered(n):
    b = declared()
    width = 1 - b.s / (2 * b.L)
    T, V = energies.euler_bernoulli(b.w, b.m * width, b.EI * width)
    system = rt.System(kinetic=T, potential=V, constraints=b.clamped)
    return frequencies(system, {b.w: n}, VALUES)[:3] / UNIT


HELD = {
    "hinged": lambda b: [b.root, b.tip],
    "cantilever": lambda b: b.clamped,
    "clamped": lambda b: [*b.clamped, *b.held],
    "clamped-hinged": lambda b: [*b.clamped, b.tip],
}


def critical_load(system, sizes, name):
    """The load at which the stiffness, linear in it, first becomes singular."""
    K = linear(system, sizes, VALUES | {name: np.array([0.0, 1.0])}).K
    return 1 / eigh(K[0] - K[1], K[0], eigvals_only=True)[-1:]


def buckling(n, ends):
    b, P = declared(), rt.parameter("P")
    T, V = energies.euler_bernoulli(b.w, b.m, b.EI, axial=-P)
    system = rt.System(kinetic=T, potential=V, constraints=HELD[ends](b))
    return critical_load(system, {b.w: n}, "P") / LOAD


def buckling_by_own_weight(n):
    b, q = declared(), rt.parameter("q")
    T, V = energies.euler_bernoulli(b.w, b.m, b.EI, axial=-q * (b.L - b.s))
    system = rt.System(kinetic=T, potential=V, constraints=b.clamped)
    return critical_load(system, {b.w: n}, "q") / (LOAD / LENGTH)


def hub_with_arm():
    b, theta, (R, J) = declared(), rt.coordinate("theta"), rt.parameters("R J")
    r = rotation(theta) @ vector(R + b.s, b.w)
    kinetic = J / 2 * ddt(theta) ** 2 + integral(b.m / 2 * norm2(ddt(r)), b.s)
    return b, rt.System(kinetic=kinetic, potential=b.energies[1], constraints=b.clamped)


def hub(n, inertia, radius, modes):
    b, system = hub_with_arm()
    values = VALUES | {"J": inertia * MASS * LENGTH**3, "R": radius * LENGTH}
    return frequencies(system, {b.w: n}, values)[modes] / UNIT


CANTILEVER = (
    "1.8751040687119611664",
    "4.6940911329741745764",
    "7.8547574382376125649",
    "10.995540734875466991",
)
EXACT = np.array([float(x) for x in CANTILEVER]) ** 2

PUBLISHED = {
    # name: (how it is computed, published values, Legendre functions that give eight digits)
    "cantilever": (lambda n: np.sqrt(cantilever(n)), CANTILEVER, 13),
    "tip mass 1": (
        lambda n: cantilever(n, 1.0, count=5),
        ("1.55729786", "16.2500852", "50.8958428", "105.198276", "179.232019"),
        14,
    ),
    "tip mass 0.5": (lambda n: cantilever(n, 0.5, count=2), ("2.01629898", "16.9014177"), 7),
    "tip mass and inertia": (
        lambda n: cantilever(n, 1.0, 0.1, 3),
        ("1.42962634", "6.2753257", "24.7516045"),
        9,
    ),
    "rod with tip mass": (
        rod_with_tip_mass,
        (".86033358901938", "3.42561845948173", "6.43729817917195"),
        9,
    ),
    "taper": (tapered, ("4.3151703", "23.5192567", "63.1991964"), 10),
    "buckling, hinged": (lambda n: buckling(n, "hinged"), ("9.869604401",), 7),
    "buckling, cantilever": (lambda n: buckling(n, "cantilever"), ("2.467401100",), 5),
    "buckling, clamped": (lambda n: buckling(n, "clamped"), ("39.47841760",), 7),
    "buckling, clamped-hinged": (lambda n: buckling(n, "clamped-hinged"), ("20.19072856",), 7),
    "buckling by own weight": (buckling_by_own_weight, ("7.837347438943484",), 7),
    "hub I=1 R=0": (
        lambda n: hub(n, 1, 0, slice(0, 4)),
        ("0.", "4.04011336", "22.12568046", "61.72967631"),
        10,
    ),
    "hub I=1 R=0.1": (lambda n: hub(n, 1, 0.1, slice(1, 3)), ("4.17275232", "22.23262203"), 8),
    "hub I=0": (lambda n: hub(n, 0, 0, slice(1, 3)), ("15.41820572", "49.96486203"), 10),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_values_with_the_functions_that_give_eight_digits(name):
    compute, texts, n = PUBLISHED[name]
    truth = compute(28)
    assert_printed(truth, texts)
    # a rigid-body motion has the frequency zero, for which no relative error exists
    errors = [np.abs(compute(k) - truth) / np.where(truth == 0, 1.0, truth) for k in (n - 1, n)]
    assert errors[0].max() > 1e-8 > errors[1].max()


def test_twelve_functions_give_ten_digits_of_the_first_frequencies_of_a_cantilever():
    np.testing.assert_allclose(cantilever(12)[:3], EXACT[:3], rtol=1e-10)


@pytest.mark.parametrize("n", [20, 40, 60])
def test_many_functions_do_not_spoil_the_first_ones(n):
    # the integrated Legendre polynomials keep K diagonal, so that rounding does not grow with n
    np.testing.assert_allclose(cantilever(n), EXACT, rtol=ROUNDING)


# Exact characteristic equations, solved with mpmath ------------------------------------------------------


def waves(beta, x):
    """Rows of the value and three derivatives of cos, sin, cosh and sinh of beta x."""
    c, s, C, S = mp.cos(beta * x), mp.sin(beta * x), mp.cosh(beta * x), mp.sinh(beta * x)
    rows = [[c, s, C, S], [-s, c, S, C], [-c, -s, C, S], [s, -c, S, C]]
    return [[beta**k * value for value in row] for k, row in enumerate(rows)]


def combined(*terms):
    return [mp.fsum(factor * row[k] for factor, row in terms) for k in range(len(terms[0][1]))]


def roots(determinant, count, step=0.11, start=0.05):
    """The first sign changes of a function of beta l, each refined to 25 digits."""
    found, a = [], mp.mpf(start)
    before = determinant(a)
    while len(found) < count:
        b = a + mp.mpf(step)
        after = determinant(b)
        if before * after < 0:
            found.append(mp.findroot(determinant, (a, b), solver="anderson"))
        a, before = b, after
    return found


def exact_frequencies(rows, l, m, EI, count=4):
    """Frequencies of a beam that is held by rows of `rows(beta, omega^2, waves at 0, waves at l)`."""
    with mp.workdps(25):

        def determinant(x):
            beta = x / l
            return mp.det(mp.matrix(rows(beta**4 * EI / m, waves(beta, 0), waves(beta, l))))

        return [float((x / l) ** 2 * mp.sqrt(mp.mpf(EI) / m)) for x in roots(determinant, count)]


def tip_rows(EI, M, J, w2, end):
    """EI w''' + M omega^2 w = 0 and -EI w'' + J omega^2 w' = 0 at a free end with a body on it."""
    return [combined((EI, end[3]), (M * w2, end[0])), combined((-EI, end[2]), (J * w2, end[1]))]


@pytest.mark.parametrize(("mass", "inertia"), [(1, 0), (0.5, 0), (1, 0.1), (0, 0.3)])
def test_a_tip_body_satisfies_the_characteristic_equation(mass, inertia):
    def rows(w2, root, end):
        return [root[0], root[1], *tip_rows(1, mass, inertia, w2, end)]

    exact = exact_frequencies(rows, 1, 1, 1)
    np.testing.assert_allclose(cantilever(ENOUGH, mass, inertia), exact, rtol=EQUATION)


def test_root_springs_and_a_tip_body_satisfy_the_characteristic_equation():
    b = declared()
    k0, kr, M, J = rt.parameters("k0 kr M J")
    system = rt.System(
        kinetic=b.energies[0] + M / 2 * ddt(b.tip) ** 2 + J / 2 * ddt(b.tip_slope) ** 2,
        potential=b.energies[1] + k0 / 2 * b.root**2 + kr / 2 * b.root_slope**2,
    )
    values = VALUES | {"k0": 200, "kr": 30, "M": 0.5, "J": 0.05}
    found = frequencies(system, {b.w: ENOUGH}, values)[:4]

    def rows(w2, root, end):
        return [
            combined((-STIFFNESS, root[3]), (-200, root[0])),
            combined((STIFFNESS, root[2]), (-30, root[1])),
            *tip_rows(STIFFNESS, 0.5, 0.05, w2, end),
        ]

    exact = exact_frequencies(rows, LENGTH, MASS, STIFFNESS)
    np.testing.assert_allclose(found, exact, rtol=EQUATION)
    assert_printed(
        found, ("1.65598208215162", "8.80109772103750", "18.8754390296471", "34.4115528343945")
    )


@pytest.mark.parametrize(("inertia", "radius"), [(0.5, 0.3), (0.5, 0.0), (0.02, 0.7)])
def test_a_hub_with_an_arm_satisfies_the_characteristic_equation(inertia, radius):
    b, system = hub_with_arm()
    found = frequencies(system, {b.w: ENOUGH}, VALUES | {"J": inertia, "R": radius})

    def rows(w2, root, end):  # unknowns: four waves of y = w + (R + s) theta, and theta
        torque = combined((STIFFNESS, root[2]), (-STIFFNESS * radius, root[3]))
        return [
            [*root[0], -radius],
            [*root[1], -1],
            [*end[2], 0],
            [*end[3], 0],
            [*torque, inertia * w2],
        ]

    exact = exact_frequencies(rows, LENGTH, MASS, STIFFNESS, 3)
    assert found[0] == 0  # the rigid-body motion, found as such
    np.testing.assert_allclose(found[1:4], exact, rtol=EQUATION)
    if (inertia, radius) == (0.5, 0.3):
        assert_printed(found[1:4], ("5.72035891239293", "19.9378009411611", "51.4088434964009"))


def test_a_rod_with_a_tip_mass_satisfies_the_characteristic_equation():
    exact = [float(x) for x in roots(lambda x: mp.cos(x) - x * mp.sin(x), 3)]
    np.testing.assert_allclose(rod_with_tip_mass(ENOUGH), exact, rtol=ROUNDING)


def test_a_taper_satisfies_the_power_series_of_its_equation():
    """(1 - x/2) w'''' - w''' = omega^2 (1 - x/2) w, clamped at 0 and free at 1, as a series in x."""

    def solution(w2, a2, a3):
        a = [mp.mpf(0), mp.mpf(0), mp.mpf(a2), mp.mpf(a3)]
        for k in range(90):  # terms fall like 2^-k: the next singular point is at 2
            third = (k + 3) * (k + 2) * (k + 1)
            earlier = w2 * (a[k] - (a[k - 1] / 2 if k else 0))
            a.append((earlier + third * (k / mp.mpf(2) + 1) * a[k + 3]) / (third * (k + 4)))
        second = mp.fsum(k * (k - 1) * c for k, c in enumerate(a))
        return second, mp.fsum(k * (k - 1) * (k - 2) * c for k, c in enumerate(a))

    def determinant(x):
        one, other = solution(x**4, 1, 0), solution(x**4, 0, 1)
        return one[0] * other[1] - one[1] * other[0]

    with mp.workdps(25):
        exact = [float(x**2) for x in roots(determinant, 3, step=0.5, start=1)]
    np.testing.assert_allclose(tapered(ENOUGH), exact, rtol=EQUATION)


def test_buckling_loads_satisfy_their_characteristic_equations():
    with mp.workdps(25):
        weight = mp.findroot(lambda x: mp.besselj(-mp.mpf(1) / 3, x), 1.87)
        tangent = mp.findroot(lambda x: mp.sin(x) - x * mp.cos(x), 4.49)
    exact = {"hinged": mp.pi**2, "cantilever": mp.pi**2 / 4, "clamped": 4 * mp.pi**2}
    exact["clamped-hinged"] = tangent**2
    for ends, load in exact.items():
        np.testing.assert_allclose(buckling(14, ends), [float(load)], rtol=ROUNDING)
    np.testing.assert_allclose(buckling_by_own_weight(14), [float(9 * weight**2 / 4)], rtol=ROUNDING)


# Convergence of elements ---------------------------------------------------------------------------------


def orders(errors):
    """How fast errors fall when elements are halved."""
    return np.log2(errors[:-1] / errors[1:])


def test_the_frequencies_of_hermite_elements_converge_with_the_fourth_power():
    found = np.array([cantilever(rt.Elements(n), count=2) for n in (4, 8, 16)])
    errors = found / EXACT[:2] - 1
    assert (errors > 0).all()  # Rayleigh's quotient comes from above
    # 0.2: at four elements the next term, of sixth order, is felt in the second mode
    np.testing.assert_allclose(orders(errors), 4, atol=0.2)


def test_elements_and_polynomials_agree_where_properties_vary():
    errors = np.array([tapered(rt.Elements(n))[0] for n in (4, 8, 16)]) / tapered(ENOUGH)[0] - 1
    np.testing.assert_allclose(orders(errors), 4, atol=0.2)  # as above


def test_the_frequencies_of_cubic_elements_of_a_rod_converge_with_the_sixth_power():
    b = declared()
    T, V = energies.rod(b.w, b.m, b.EI)
    rod = rt.System(kinetic=T, potential=V, constraints=[b.root])
    exact = (np.arange(2) + 0.5) * np.pi * ROD_UNIT
    found = np.array([frequencies(rod, {b.w: rt.Elements(n)}, VALUES)[:2] for n in (2, 4, 8)])
    errors = found / exact - 1
    # twice the degree of the cubics; 0.25 for the term of eighth order with two elements
    np.testing.assert_allclose(orders(errors), 6, atol=0.25)


def test_elements_may_be_of_unequal_length():
    places = 1 - np.linspace(1, 0, 17) ** 1.5  # finer towards the tip
    found = cantilever(rt.Elements(tuple(places)), 1.0)
    # the longest of 16 elements is 1.5/16 of the length: (7.9*1.5/16)^4/1440 is 2e-4 for the third mode
    np.testing.assert_allclose(found[:3], cantilever(ENOUGH, 1.0)[:3], rtol=3e-4)


@pytest.mark.slow
def test_known_modes_as_functions_give_their_frequencies():
    b = declared()
    hinged = rt.System(kinetic=b.energies[0], potential=b.energies[1], constraints=[b.root, b.tip])
    shapes = [sin(k * rt.pi * b.s / b.L) for k in (1, 2, 3)]
    found = frequencies(hinged, {b.w: shapes}, VALUES) / UNIT
    np.testing.assert_allclose(found, (np.arange(1, 4) * np.pi) ** 2, rtol=ROUNDING)


# C8: rotating beams --------------------------------------------------------------------------------------

SPEEDS = np.array([1.0, 2.0, 5.0, 10.0])
C8_IN_PLANE = ("12.5545232627268", "13.1174132493387", "16.59662746379", "25.492147292")
C8_FLAP = ("3.68164681395796", "4.13731957302536", "6.44954474857", "11.202327762")


def rotating(b, *, flap, shortening=True):
    R, Om = rt.parameters("R Om")
    along = R + b.s + (energies.foreshortening(b.w) if shortening else 0)
    plane = rotation(Om * t) @ vector(along, b.w)
    space = rotation(Om * t, vector(0, 0, 1)) @ vector(along, 0, b.w)
    kinetic = integral(b.m / 2 * norm2(ddt(space if flap else plane)), b.s)
    return rt.System(kinetic=kinetic, potential=b.energies[1], constraints=b.clamped)


@pytest.mark.parametrize("flap", [False, True])
def test_c8_centrifugal_stiffening_comes_out_of_the_kinematics(flap):
    b = declared()
    values = VALUES | {"R": 0, "Om": SPEEDS * UNIT}
    found = frequencies(rotating(b, flap=flap), {b.w: 14}, values)[:, 0] / UNIT
    assert_printed(found if flap else found**2, C8_FLAP if flap else C8_IN_PLANE)


def test_c8_without_foreshortening_the_beam_softens_and_falls_over():
    b = declared()
    speeds = np.array([1.0, 2.0, 3.5, 3.6])
    values = VALUES | {"R": 0, "Om": speeds * UNIT}
    model = linear(rotating(b, flap=False, shortening=False), {b.w: 12}, values)
    squares = -(rt.modes(model).eigenvalues[:, 0] ** 2).real / UNIT**2
    # absolute: near 3.516 the square is a difference of numbers of the size 12
    np.testing.assert_allclose(squares, 12.3623633683262 - speeds**2, atol=12 * ROUNDING)
    falls = rt.stability(model).verdict == rt.Verdict.UNSTABLE
    np.testing.assert_array_equal(falls, [False, False, False, True])


def test_c8_without_foreshortening_flapping_does_not_feel_the_speed():
    b = declared()
    values = VALUES | {"R": 0.4, "Om": SPEEDS * UNIT}
    found = frequencies(rotating(b, flap=True, shortening=False), {b.w: 16}, values)
    np.testing.assert_allclose(found[:, 0] / UNIT, np.full(4, EXACT[0]), rtol=ROUNDING)


def test_c8_foreshortening_is_the_tension_of_the_beam_further_out():
    b, (R, Om) = declared(), rt.parameters("R Om")
    tension = b.m * Om**2 * (R * (b.L - b.s) + (b.L**2 - b.s**2) / 2)
    T, V = energies.euler_bernoulli(b.w, b.m, b.EI, axial=tension)
    stretched = rt.System(kinetic=T, potential=V, constraints=b.clamped)
    values = VALUES | {"R": 0.4, "Om": 3.0}
    n = {b.w: 12}
    # the same polynomials under the same integrals: only rounding is between them
    np.testing.assert_allclose(
        frequencies(rotating(b, flap=True), n, values)[:6],
        frequencies(stretched, n, values)[:6],
        rtol=ROUNDING,
    )


@pytest.mark.slow
def test_c8_an_arm_on_a_heavy_free_hub_that_spins_is_a_rotating_beam():
    b, theta, (R, J) = declared(), rt.coordinate("theta"), rt.parameters("R J")
    r = rotation(theta) @ vector(R + b.s + energies.foreshortening(b.w), b.w)
    kinetic = J / 2 * ddt(theta) ** 2 + integral(b.m / 2 * norm2(ddt(r)), b.s)
    arm = rt.System(kinetic=kinetic, potential=b.energies[1], constraints=b.clamped)
    values = VALUES | {"R": 0, "J": 1e4}
    for n in (4, 12):
        system = rt.discretize(arm, {b.w: n})
        for speed, square in zip(SPEEDS[:2], C8_IN_PLANE[:2], strict=True):
            spin = rt.equilibrium(system, values, speeds={theta: speed * UNIT})
            found = rt.modes(rt.linearize(spin)).frequencies[:2] / UNIT
            assert found[0] == pytest.approx(0, abs=1e-6)  # the hub may turn further
            # the hub moves against the beam by the ratio of their inertias, 1.35/1e4
            assert found[1] ** 2 == pytest.approx(float(square), rel=3e-4)


# Closed forms: strings, shafts, rods, Rayleigh's and Timoshenko's beam -----------------------------------


@pytest.mark.parametrize("make", [energies.string, energies.shaft, energies.rod])
@pytest.mark.parametrize("ends", ["fixed-fixed", "fixed-free", "free-free"])
def test_strings_shafts_and_rods_have_harmonic_frequencies(make, ends):
    b = declared()
    T, V = make(b.w, b.m, b.EI)
    held = {"fixed-fixed": [b.root, b.tip], "fixed-free": [b.root], "free-free": []}[ends]
    found = frequencies(rt.System(kinetic=T, potential=V, constraints=held), {b.w: ENOUGH}, VALUES)
    first = {"fixed-fixed": 1.0, "fixed-free": 0.5, "free-free": 0.0}[ends]
    np.testing.assert_allclose(found[:4] / ROD_UNIT, (first + np.arange(4)) * np.pi, rtol=ROUNDING)


def test_a_hanging_chain_has_the_zeros_of_bessels_function():
    b, g = declared(), rt.parameter("g")
    T, V = energies.string(b.w, b.m, b.m * g * b.s)  # fixed above at L, free at 0, where it is slack
    chain = rt.System(kinetic=T, potential=V, constraints=[b.tip])
    found = frequencies(chain, {b.w: ENOUGH}, {"L": LENGTH, "m": MASS, "g": 9.81})[:4]
    exact = [float(mp.besseljzero(0, k)) / 2 * np.sqrt(9.81 / LENGTH) for k in (1, 2, 3, 4)]
    np.testing.assert_allclose(found, exact, rtol=ROUNDING)


WAVENUMBERS = np.arange(1, 5) * np.pi / LENGTH


def test_a_hinged_rayleigh_beam_has_its_closed_form():
    b, J = declared(), rt.parameter("J")
    T, V = energies.rayleigh(b.w, b.m, b.EI, J)
    hinged = rt.System(kinetic=T, potential=V, constraints=[b.root, b.tip])
    found = frequencies(hinged, {b.w: ENOUGH}, VALUES | {"J": 0.1})[:4]
    k = WAVENUMBERS
    exact = np.sqrt(STIFFNESS * k**4 / (MASS + 0.1 * k**2))
    np.testing.assert_allclose(found, exact, rtol=ROUNDING)


def test_a_hinged_beam_under_tension_has_its_closed_form():
    b, N = declared(), rt.parameter("N")
    T, V = energies.euler_bernoulli(b.w, b.m, b.EI, axial=N)
    hinged = rt.System(kinetic=T, potential=V, constraints=[b.root, b.tip])
    k = WAVENUMBERS
    found = frequencies(hinged, {b.w: ENOUGH}, VALUES | {"N": 7.0})[:4]
    np.testing.assert_allclose(found, np.sqrt((STIFFNESS * k**4 + 7 * k**2) / MASS), rtol=ROUNDING)


def thick(held):
    b, (J, kGA) = declared(), rt.parameters("J kGA")
    psi = rt.field("psi", b.s)
    T, V = energies.timoshenko(b.w, psi, b.m, b.EI, J, kGA)
    return b, psi, rt.System(kinetic=T, potential=V, constraints=held(b, psi))


def test_a_hinged_timoshenko_beam_has_both_branches_of_its_closed_form():
    b, psi, system = thick(lambda b, psi: [b.root, b.tip])
    J, kGA = 0.1, 300.0
    found = frequencies(system, {b.w: ENOUGH, psi: ENOUGH}, VALUES | {"J": J, "kGA": kGA})
    exact = [np.sqrt(kGA / J)]  # w = 0, psi constant
    for k in WAVENUMBERS:
        stiffness = [[kGA * k**2, -kGA * k], [-kGA * k, STIFFNESS * k**2 + kGA]]
        exact += list(np.sqrt(eigh(stiffness, np.diag([MASS, J]), eigvals_only=True)))
    for omega in exact:
        assert np.abs(found / omega - 1).min() < ROUNDING


def test_a_timoshenko_beam_that_hardly_shears_is_a_slender_one():
    b, psi, system = thick(lambda b, psi: [b.root, at(psi, b.s, 0)])
    shear = np.array([1e4, 1e5, 1e6]) * LOAD
    values = VALUES | {"J": 0, "kGA": shear}  # without rotary inertia the mass matrix is singular
    shortfall = 1 - frequencies(system, {b.w: 16, psi: 16}, values)[:, :4] / UNIT / EXACT
    # the work of shear: with 1/kGA, but for a term with its square, 0.7 % of it at 1e4 in mode four
    np.testing.assert_allclose(shortfall[0] / shortfall[1], np.full(4, 10), rtol=0.01)
    np.testing.assert_allclose(shortfall[1] / shortfall[2], np.full(4, 10), rtol=0.01)
    assert np.abs(shortfall[2]).max() < 1e-4


@pytest.mark.parametrize(("size", "errors"), [(8, (3e-8, 3e-8)), (rt.Elements(4), (4e-5, 1.3e-3))])
def test_a_timoshenko_beam_does_not_lock(size, errors):
    b, psi, system = thick(lambda b, psi: [b.root, at(psi, b.s, 0)])
    values = VALUES | {"J": 0, "kGA": np.array([1e1, 1e3, 1e5, 1e6]) * LOAD}
    found, truth = (frequencies(system, {b.w: n, psi: n}, values)[:, :2] for n in (size, ENOUGH))
    # the bounds are the errors of a slender beam of so many functions, whatever the shear stiffness; a
    # field that locks becomes too stiff by a factor that grows with it
    assert (np.abs(found / truth - 1) < errors).all()


# Loads ---------------------------------------------------------------------------------------------------


def becks_columns():
    """Beck's column twice: by what its load does, and by the load itself, along the tip's tangent."""
    b, P = declared(), rt.parameter("P")
    T, V = energies.euler_bernoulli(b.w, b.m, b.EI, axial=-P)
    work = rt.System(kinetic=T, potential=V, forces={b.tip: -P * b.tip_slope}, constraints=b.clamped)
    end = vector(b.L + at(energies.foreshortening(b.w), b.s, b.L), b.tip)
    push = rt.force(-P * vector(cos(b.tip_slope), sin(b.tip_slope)), at=end)
    T, V = b.energies
    follower = rt.System(kinetic=T, potential=V, forces=[push], constraints=b.clamped)
    return b, P, {"work": work, "follower": follower}


@cache
def becks_load():
    """Where two roots of the exact frequency equation (nondimensional) meet."""

    def equation(P, w):
        a = mp.sqrt(mp.sqrt(P**2 / 4 + w**2) - P / 2)
        c = mp.sqrt(mp.sqrt(P**2 / 4 + w**2) + P / 2)
        waves = 2 * w**2 * mp.cosh(a) * mp.cos(c) + P * w * mp.sinh(a) * mp.sin(c)
        return P**2 + 2 * w**2 + waves

    def double(P, w):
        return equation(P, w), mp.diff(lambda x: equation(P, x), w)

    with mp.workdps(25):
        return float(mp.findroot(double, (20, 11))[0])


@pytest.mark.parametrize("kind", ["work", "follower"])
def test_becks_column_flutters_at_the_load_of_the_exact_equation(kind):
    b, _, systems = becks_columns()
    system = rt.discretize(systems[kind], {b.w: 12})

    def model(P):
        return rt.linearize(rt.equilibrium(system, VALUES | {"P": P * LOAD}))

    def discriminant(P):  # of the two lowest squares: complex when they have met
        squares = np.sort_complex(rt.modes(model(P)).eigenvalues[::2] ** 2)[-2:]
        return ((squares[0] - squares[1]) ** 2).real

    found = brentq(discriminant, 19, 21)
    assert found == pytest.approx(20.0509, abs=1e-4)
    # twelve functions are converged; ten digits leave some for the nonsymmetric eigenvalue problem
    assert found == pytest.approx(becks_load(), rel=1e-10)
    below, above = (rt.modes(model(P)).eigenvalues for P in (20, 20.1))
    assert np.abs(below.real).max() == 0
    growing = above[above.real > 0]
    assert len(growing) == 2
    assert np.abs(growing.imag).min() > 10 * UNIT  # flutter, not divergence
    assert rt.stability(model(20.1)).verdict is rt.Verdict.UNSTABLE


def test_the_tip_of_becks_column_feels_no_transverse_load():
    b, P, systems = becks_columns()
    linear = rt.linear_equations(systems["work"], {b.w: 0}, simplify=0)
    shear = diff(b.w, b.s, 3).at_end(1)
    (row,) = (row for row in linear.boundary if row.expression.has(shear))
    assert row.expression in (
        b.EI * shear,
        -b.EI * shear,
    )  # P acts along the beam, and is in the field row
    assert linear.partial[0].expression.has(P)


def oscillating(found):
    """The modes that oscillate, in the order of their moduli; the highest ones are overdamped."""
    order = np.argsort(np.abs(found.eigenvalues[::2]))
    return [k for k in order if found.frequencies[k] > 0]


def test_internal_and_external_damping_densities_give_the_modal_ratios():
    b, (E, I, eta, c) = declared(), rt.parameters("E I eta c")
    T, V = energies.euler_bernoulli(b.w, b.m, E * I)
    bending = ddt(diff(b.w, b.s, 2))
    damped = rt.System(
        kinetic=T,
        potential=V,
        dissipation=integral(eta * I / 2 * bending**2 + c / 2 * ddt(b.w) ** 2, b.s),
        constraints=b.clamped,
    )
    values = {"L": LENGTH, "m": MASS, "E": 20.0, "I": STIFFNESS / 20}
    omega = EXACT * UNIT
    for eta_, c_ in ((0.02, 0.0), (0.0, 0.3), (0.02, 0.3)):
        found = rt.modes(linear(damped, {b.w: ENOUGH}, values | {"eta": eta_, "c": c_}))
        places = oscillating(found)[:4]
        ratios = eta_ * omega / (2 * 20.0) + c_ / (2 * MASS * omega)
        # 1e-10: a nonsymmetric eigenvalue problem, of which these are the smallest eigenvalues
        np.testing.assert_allclose(found.damping[places], ratios, rtol=1e-10)
        np.testing.assert_allclose(np.abs(found.eigenvalues[::2][places]), omega, rtol=1e-10)


def test_distributed_and_end_loads_bend_a_cantilever_as_in_tables():
    b, (f, F, C) = declared(), rt.parameters("f F C")
    T, V = b.energies
    loads = {b.w: f, b.tip: F, b.tip_slope: C}
    system = rt.discretize(
        rt.System(kinetic=T, potential=V, forces=loads, constraints=b.clamped), {b.w: 3}
    )
    L, EI = LENGTH, STIFFNESS
    for f_, F_, C_ in ((0.3, 0, 0), (0, 0.2, 0), (0, 0, 0.1), (0.3, 0.2, 0.1)):
        rest = rt.equilibrium(system, VALUES | {"f": f_, "F": F_, "C": C_})
        deflection = f_ * L**4 / (8 * EI) + F_ * L**3 / (3 * EI) + C_ * L**2 / (2 * EI)
        slope = f_ * L**3 / (6 * EI) + F_ * L**2 / (2 * EI) + C_ * L / EI
        moment = f_ * L**2 / 2 + F_ * L + C_
        # the shapes are polynomials of degree four, which three functions contain
        np.testing.assert_allclose(rest.field(b.w, L), [deflection], rtol=ROUNDING)
        np.testing.assert_allclose(rest.field(diff(b.w, b.s), L), [slope], rtol=ROUNDING)
        np.testing.assert_allclose(EI * rest.field(diff(b.w, b.s, 2), 0), [moment], rtol=ROUNDING)


def test_a_load_that_varies_along_the_beam_does_the_work_of_its_influence_function():
    b = declared()
    T, V = b.energies
    loads = {b.w: sin(3 * b.s) / (1 + b.s)}
    system = rt.System(kinetic=T, potential=V, forces=loads, constraints=b.clamped)
    rest = rt.equilibrium(rt.discretize(system, {b.w: ENOUGH}), VALUES)
    work = mp.quad(lambda x: mp.sin(3 * x) / (1 + x) * x**2 * (3 * LENGTH - x), [0, LENGTH])
    np.testing.assert_allclose(rest.field(b.w, LENGTH), [float(work) / (6 * STIFFNESS)], rtol=ROUNDING)


def test_c9_a_tip_mass_on_an_accelerating_base_bends_the_beam():
    b, (M, a) = declared(), rt.parameters("M a")
    T = integral(b.m / 2 * (ddt(b.w) + a * t) ** 2, b.s) + M / 2 * (ddt(b.tip) + a * t) ** 2
    system = rt.System(kinetic=T, potential=b.energies[1], constraints=b.clamped)
    rest = rt.equilibrium(rt.discretize(system, {b.w: 3}), VALUES | {"M": 0.5, "a": 3.0})
    expected = [-0.333544921875, -0.99140625]  # exact decimals; a polynomial of degree four
    np.testing.assert_allclose(rest.field(b.w, [LENGTH / 2, LENGTH]), expected, rtol=ROUNDING)
    np.testing.assert_allclose(rest.field(diff(b.w, b.s), LENGTH), [-0.928125], rtol=ROUNDING)


# Joints and bases ----------------------------------------------------------------------------------------


def two_beams(share):
    """A cantilever of two pieces with different stiffness per `ratio`."""
    L, l, m, EI, ratio = rt.parameters("L l m EI ratio")
    s1, s2 = rt.space("s1", 0, l), rt.space("s2", l, L)
    w1, w2 = rt.field("w1", s1), rt.field("w2", s2)
    (T1, V1), (T2, V2) = (
        energies.euler_bernoulli(w1, m, EI),
        energies.euler_bernoulli(w2, m, ratio * EI),
    )
    slope1, slope2 = diff(w1, s1), diff(w2, s2)
    joined = rt.System(
        kinetic=T1 + T2,
        potential=V1 + V2,
        constraints=[
            at(w1, s1, 0),
            at(slope1, s1, 0),
            at(w1, s1, l) - at(w2, s2, l),
            at(slope1, s1, l) - at(slope2, s2, l),
        ],
    )
    return w1, w2, joined, VALUES | {"l": share * LENGTH}


@pytest.mark.parametrize("share", [0.5, 0.3])
def test_two_beams_that_are_joined_are_one(share):
    w1, w2, joined, values = two_beams(share)
    system = rt.discretize(joined, {w1: 12, w2: 14})
    assert not system.constraints  # continuity is built into the functions
    modes = rt.modes(rt.linearize(rt.equilibrium(system, values | {"ratio": 1.0})))
    np.testing.assert_allclose(modes.frequencies[:4] / UNIT, EXACT, rtol=1e-11)  # 26 functions in all
    joint = share * LENGTH
    for k in range(3):  # shapes of modes are good to half as many digits as frequencies
        left, right = modes.field(w1, k, joint), modes.field(w2, k, joint)
        np.testing.assert_allclose(left, right, rtol=1e-9)


def test_two_joined_beams_of_elements_are_one_beam_with_the_same_nodes():
    w1, w2, joined, values = two_beams(0.4)
    pieces = {w1: rt.Elements(4), w2: rt.Elements(6)}
    found = frequencies(joined, pieces, values | {"ratio": 1.0}) / UNIT
    # the same space of functions; 1e-10 for the stiffness of short elements
    np.testing.assert_allclose(found[:8], cantilever(rt.Elements(10), count=8), rtol=1e-10)


def test_a_jump_of_stiffness_is_exact_with_two_spaces():
    share, ratio = 0.4, 0.25
    w1, w2, joined, values = two_beams(share)
    found = frequencies(joined, {w1: 16, w2: 16}, values | {"ratio": ratio})[:3] / UNIT

    def determinant(x):
        b1, b2 = mp.mpf(x), x / mp.mpf(ratio) ** 0.25
        here, there, end = waves(b1, share), waves(b2, share), waves(b2, 1)
        root = waves(b1, 0)
        zeros = [0] * 4
        meet = [[*(f * a for a in here[k]), *(-g * a for a in there[k])]
                for k, (f, g) in enumerate(((1, 1), (1, 1), (1, ratio), (1, ratio)))]  # fmt: skip
        held = [[*root[0], *zeros], [*root[1], *zeros], [*zeros, *end[2]], [*zeros, *end[3]]]
        return mp.det(mp.matrix([*held, *meet]))

    with mp.workdps(25):
        exact = [float(x**2) for x in roots(determinant, 3, step=0.25, start=0.5)]
    np.testing.assert_allclose(found, exact, rtol=EQUATION)


def test_a_beam_tied_to_a_coordinate_moves_with_its_body():
    b, x, (M, k) = declared(), rt.coordinate("x"), rt.parameters("M k")
    T, V = b.energies
    tied = rt.System(
        kinetic=T + M / 2 * ddt(x) ** 2,
        potential=V + k / 2 * x**2,
        constraints=[b.root - x, b.root_slope],
    )
    values = VALUES | {"M": 0.7, "k": 5.0}
    system = rt.discretize(tied, {b.w: ENOUGH})
    assert not system.constraints
    found = rt.modes(rt.linearize(rt.equilibrium(system, values))).frequencies[:4]

    def rows(w2, root, end):  # EI w''' + k w = M omega^2 w at the root
        shear = combined((STIFFNESS, root[3]), (5 - w2 * mp.mpf("0.7"), root[0]))
        return [shear, root[1], end[2], end[3]]

    exact = exact_frequencies(rows, LENGTH, MASS, STIFFNESS)
    np.testing.assert_allclose(found, exact, rtol=EQUATION)


def shaken():
    b, u = declared(), rt.input("u")
    T, V = b.energies
    system = rt.System(kinetic=T, potential=V, constraints=[b.root - u, b.root_slope])
    return b, u, rt.discretize(system, {b.w: ENOUGH})


def test_a_base_that_is_moved_takes_the_resting_beam_along():
    b, u, system = shaken()
    rest = rt.equilibrium(system, VALUES, inputs={u: 0.3})
    np.testing.assert_allclose(rest.field(b.w, [0, 0.7, LENGTH]), [0.3, 0.3, 0.3], rtol=ROUNDING)
    np.testing.assert_allclose(
        rt.modes(rt.linearize(rest)).frequencies[:4] / UNIT, EXACT, rtol=ROUNDING
    )


@pytest.mark.parametrize("beta", [0.5, 1.5, 3.0, 6.0])
def test_a_shaken_base_moves_the_tip_by_the_exact_frequency_response(beta):
    b, u, system = shaken()
    model = rt.linearize(rt.equilibrium(system, VALUES, inputs={u: 0}))
    A, B, C, D = rt.state_space(model, outputs=[b.tip])
    s = 1j * beta**2 * UNIT
    drive = np.array([s**i.order for i in model.inputs])  # the inputs are u and its second derivative
    found = (C @ np.linalg.solve(s * np.eye(len(A)) - A, B) + D) @ drive
    exact = (np.cos(beta) + np.cosh(beta)) / (1 + np.cos(beta) * np.cosh(beta))
    # 1e-8: A has entries of the highest frequency squared, 1e9, of which the response is a small part
    np.testing.assert_allclose(found, [exact], rtol=1e-8)


@pytest.mark.slow
def test_a_shaken_base_keeps_the_beam_in_its_exact_steady_motion():
    b, u, system = shaken()
    beta, nu = 2.5 / LENGTH, 2.5**2 * UNIT
    x = beta * b.s
    C, S, c, d = np.cosh(2.5), np.sinh(2.5), np.cos(2.5), np.sin(2.5)
    # y = (cos + cosh)/2 + p (cosh - cos) + q (sinh - sin), with no moment and no shear at the tip
    p, q = np.linalg.solve([[C + c, S + d], [S - d, C + c]], [(c - C) / 2, -(S + d) / 2])
    y = (cos(x) + rt.cosh(x)) / 2 + p * (rt.cosh(x) - cos(x)) + q * (rt.sinh(x) - sin(x))
    times = np.linspace(0, 3, 13)
    small = rt.discretize(system.continuous, {b.w: 8})
    motion = rt.simulate(
        small, VALUES, start={ddt(b.w): nu * y}, inputs={u: sin(nu * t)}, times=times, rtol=1e-9
    )
    steady = (c + C) / (1 + c * C)
    # eight functions give the shape to 1e-7, and the integration is asked for 1e-9
    np.testing.assert_allclose(motion[b.tip], steady * np.sin(nu * times), atol=1e-5 * abs(steady))
