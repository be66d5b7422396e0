"""Proofs that a list is complete, against functions whose roots are known in closed form."""

import numpy as np
import pytest
import sympy
from flint import arb

import closed_roots
import routh as rt
from depth import draws, mostly_slow
from routh import ddt
from routh.analysis.search import certify
from routh.numerics.solving import krawczyk
from routh.numerics.solving.account import Account, beside, common, volume
from routh.numerics.solving.krawczyk import all_roots, alone


@pytest.fixture
def few_boxes(monkeypatch):
    """Give up early what cannot be proven: quick, and whatever is claimed must be true all the same."""
    monkeypatch.setattr(certify, "BOXES", 2000)


def holds(case: closed_roots.Case, starts: int) -> bool:
    """Whether the list was proven complete; if so it must be, each root once and at its place."""
    with np.errstate(over="ignore"):  # Newton's method runs far away from narrow features
        found = rt.equilibria(
            case.system, case.values, case.within or None, certify=True, starts=starts
        )
    proof = found.certificate
    assert proof.missing == 0
    if not proof.is_complete:
        assert "roven complete" in str(proof)
        assert not str(proof).startswith("Proven")
        return False
    assert not case.double
    assert proof.proven.all()
    assert str(proof).startswith("Proven complete")
    for root in case.roots:
        way = np.abs(found.box.apart(found.q, root))
        assert (way <= case.near).all(axis=1).sum() == 1
    ends = np.array(list(case.within.values())).reshape(-1, 2)
    rounding = 1e-9 * np.ptp(ends, axis=1)
    extra = len(found) - len(case.roots)
    beside = (found.q < ends[:, 0]) | (found.q > ends[:, 1]) if len(ends) else np.zeros((0, 1), bool)
    assert extra == beside.any(axis=1).sum(), "more than there are"
    if extra:  # on a face to rounding
        assert ((found.q >= ends[:, 0] - rounding) & (found.q <= ends[:, 1] + rounding)).all()
    return True


@pytest.mark.usefixtures("few_boxes")
@pytest.mark.parametrize("kind", mostly_slow(range(len(closed_roots.CASES)), 1, 6, 9))
def test_a_few_lists_said_to_be_complete_are(kind):
    for seed in range(draws(1, 3)):
        generator = np.random.default_rng([kind, seed])
        holds(closed_roots.CASES[kind](generator), int(generator.choice([1, 64])))


@pytest.mark.slow
@pytest.mark.usefixtures("few_boxes")
@pytest.mark.parametrize("kind", range(len(closed_roots.CASES)))
def test_no_list_is_said_to_be_complete_that_is_not(kind):
    number = {1: 60, 2: 40, 4: 60, 8: 40, 9: 80}.get(kind, 120)
    claims = double = 0
    for seed in range(100, 100 + number):
        generator = np.random.default_rng([kind, seed])
        case = closed_roots.CASES[kind](generator)
        double += case.double
        claims += holds(case, int(generator.choice([1, 64])))
    assert claims >= 0.5 * (number - double)


# -- Without a search: thousands of functions on balls -------------------------------------------------


def random_function(generator):
    """A function on balls with its slope, a box and its roots, all in closed form."""
    unit = 10.0 ** generator.uniform(-9, 9)
    width = unit * 10.0 ** generator.uniform(-9, -1)
    place, level = unit * generator.uniform(-0.8, 0.8), generator.uniform(0.05, 0.9)
    a, w, c = arb(place), arb(width), arb(level)
    kind = int(generator.integers(4))
    if kind == 0:
        far = np.sqrt(-np.log(level))
        shape = lambda u: ((-u * u).exp(), -2 * u * (-u * u).exp())  # noqa: E731
    elif kind == 1:
        far = np.sqrt(1 / level - 1)
        shape = lambda u: (1 / (1 + u**2), -2 * u / (1 + u**2) ** 2)  # noqa: E731
    elif kind == 2:
        far = np.arccosh(1 / level)
        shape = lambda u: (u.sech(), -u.sech() * u.tanh())  # noqa: E731
    else:
        far, c = 1.0, arb(0)
        shape = lambda u: (u * u - 1, 2 * u)  # noqa: E731
    function = lambda X: [shape((X[0] - a) / w)[0] - c]  # noqa: E731
    slopes = lambda X: [[shape((X[0] - a) / w)[1] / w]]  # noqa: E731
    roots = place + width * far * np.array([-1.0, 1.0])
    ends = np.array([-unit, unit]) * generator.uniform(0.85, 1.3, 2)
    return function, slopes, ends, roots[(roots > ends[0]) & (roots < ends[1])], width


def check_random_function(seed: int) -> bool:
    function, slopes, ends, roots, width = random_function(np.random.default_rng(seed))
    found = all_roots(function, slopes, ends[:1], ends[1:], [], 3000)
    assert found.account.closes
    places = np.array([float(root.place[0].mid()) for root in found.found])
    places = places[(places > ends[0]) & (places < ends[1])]
    left = [*found.undecided, *found.undefined]
    for root in roots:  # each is proven once, or in a cell that is left
        near = np.abs(places - root) <= 1e-5 * width + 4 * np.spacing(abs(root))
        inside = any(a[0] - 1e-5 * width <= root <= b[0] + 1e-5 * width for a, b in left)
        assert near.sum() == 1 or (inside and near.sum() == 0)
    if not left and not found.unclear:
        assert len(places) == len(roots)
        return True
    return False


def test_bumps_on_balls_lose_no_root():
    assert sum(check_random_function(seed) for seed in range(60)) > 30


@pytest.mark.slow
def test_thousands_of_bumps_on_balls_lose_no_root():
    assert sum(check_random_function(seed) for seed in range(1000, 4000)) > 2000


# -- The account ----------------------------------------------------------------------------------------


def test_a_core_and_what_is_beside_it_fill_a_cell_exactly():
    generator = np.random.default_rng(5)
    for _ in range(200):
        n = int(generator.integers(1, 5))
        unit = 10.0 ** generator.uniform(-300, 15, n)
        ends = np.sort(unit * generator.uniform(-1, 1, (4, n)), axis=0)
        cell = (ends[0], ends[3])
        core = common(cell, (generator.permuted(ends[1]), ends[2])) or (ends[1], ends[2])
        slabs = beside(cell, core)
        assert sum(volume(*slab) for slab in slabs) + volume(*core) == volume(*cell)
        for k, slab in enumerate(slabs):
            assert all(common(slab, other) is None for other in [core, *slabs[:k]])


def test_the_last_bit_of_a_box_is_missed():
    low, high = np.array([-1.0, -1e9]), np.array([1.0, 1e9])
    account = Account(volume(low, high))
    account.excluded += volume(low, np.array([1.0, np.nextafter(1e9, 0)]))
    assert not account.closes
    assert float(account.missing) == pytest.approx(np.spacing(1e9) / 2 / 2e9, rel=1e-9)
    account.left += volume(np.array([-1.0, np.nextafter(1e9, 0)]), high)
    assert account.closes
    assert account.missing == 0


def test_a_search_that_drops_a_part_of_the_box_proves_nothing(monkeypatch):
    """What the search did once: the rest of a cell beside a proven box was forgotten."""
    monkeypatch.setattr(krawczyk, "beside", lambda cell, core: [])
    x = rt.coordinate("x")
    a, w = rt.parameters("a w")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: 2 * rt.exp(-(((x - a) / w) ** 2)) - 1})
    values = {"a": -0.6173425886038426, "w": 1.7406190711550702e-07}
    found = rt.equilibria(system, values, {x: (-1, 1)}, certify=True)
    assert found.certificate.missing > 0
    assert not found.certificate.is_complete
    assert not found.certificate.proven.any()
    assert "No proof: the boxes that were looked at do not add up" in str(found)


@pytest.mark.parametrize("unit", [1.0, 1e6, 1e-9])
def test_both_sides_of_a_spike_are_listed_or_nothing_is_claimed(unit):
    x = rt.coordinate("x")
    a, w = rt.parameters("a w")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: 2 * rt.exp(-(((x - a) / w) ** 2)) - 1})
    A, W = -0.6173425886038426 * unit, 1.7406190711550702e-07 * unit
    found = rt.equilibria(system, {"a": A, "w": W}, {x: (-unit, unit)}, certify=True)
    assert found.certificate.is_complete
    far = W * np.sqrt(np.log(2))
    np.testing.assert_allclose(np.sort(found.q[:, 0]), [A - far, A + far], rtol=0, atol=1e-6 * W)


# -- Other ways to be wrong --------------------------------------------------------------------------------


def line(root):
    """x - root on balls."""
    return (lambda X: [X[0] - arb(root)]), (lambda X: [[arb(1)]])


def test_a_point_far_from_the_root_of_its_box_is_not_proven():
    """The box around it has one root, but elsewhere."""
    function, slopes = line(0.3)
    low, high = np.array([-1.0]), np.array([1.0])
    found = all_roots(function, slopes, low, high, [np.array([0.1])], 100)
    assert found.proven == [None]
    assert len(found.found) == 1
    assert alone(function, slopes, np.array([0.3 + 1e-6])) is None
    assert alone(function, slopes, np.array([0.3])) is not None


def test_one_root_given_twice_is_one():
    function, slopes = line(0.3)
    low, high = np.array([-1.0]), np.array([1.0])
    found = all_roots(function, slopes, low, high, [np.array([0.3]), np.array([0.3 + 1e-12])], 100)
    assert found.proven == [0, 0]
    assert len(found.found) == 1


def test_roots_at_cuts_faces_and_corners_are_met_once():
    """A root wherever the first cuts go, in two coordinates."""
    split = krawczyk.SPLIT
    cut = -1 + split * 2
    for root in ([cut, 0.5], [cut, cut], [1.0, 1.0], [-1.0, cut], [cut + split * (1 - cut), 1.0]):
        function = lambda X, r=root: [  # noqa: E731
            (X[0] - arb(r[0])) * (1 + X[1] ** 2),
            (X[1] - arb(r[1])) * (2 + X[0]),
        ]
        slopes = lambda X, r=root: [  # noqa: E731
            [1 + X[1] ** 2, (X[0] - arb(r[0])) * 2 * X[1]],
            [X[1] - arb(r[1]), 2 + X[0]],
        ]
        found = all_roots(function, slopes, np.array([-1.0, -1.0]), np.array([1.0, 1.0]), [], 5000)
        assert found.account.closes
        assert not found.undecided
        assert found.unclear == 0
        assert [[float(x.mid()) for x in r.place] for r in found.found] == [pytest.approx(root)]


def test_an_equation_beside_the_unknowns_must_hold_exactly():
    """y enters nothing, but its own force is 1e-25, not zero, where x balances."""
    x, y = rt.coordinates("x y")
    tiny = sympy.Rational(1, 10**25)
    forces = {x: 1 - 3 * x, y: x - sympy.Rational(1, 3) + tiny}
    system = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, forces=forces)
    found = rt.equilibria(system, {}, {x: (-1, 1)}, certify=True)
    assert not found.certificate.is_complete
    assert not found.certificate.proven.any()


@pytest.mark.parametrize("jump", [sympy.Heaviside, sympy.sign, sympy.floor])
def test_jumps_of_an_energy_are_no_proof(jump):
    """Their slope is zero: the equations do not show them."""
    x = rt.coordinate("x")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2 + jump(x - sympy.Rational(1, 2)))
    with pytest.raises(rt.DerivationError, match="A proof works with smooth functions"):
        rt.equilibria(system, {}, {x: (-2, 2)}, certify=True)


def test_a_root_at_the_end_of_a_domain_is_not_passed_over():
    x = rt.coordinate("x")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x ** sympy.Rational(5, 2))
    found = rt.equilibria(system, {}, {x: (-1, 1)}, certify=True, starts=1)
    assert not found.certificate.is_complete


def test_outside_their_domain_functions_have_no_roots():
    x = rt.coordinate("x")
    a = rt.parameter("a")
    for force, root in [
        (rt.asin(2 * x) - a, np.sin(0.3) / 2),
        (sympy.acosh(2 * x) - a, np.cosh(0.3) / 2),
        (x ** sympy.Rational(5, 3) - a, 0.3**0.6),
    ]:
        found = rt.equilibria(
            rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: force}),
            {"a": 0.3},
            {x: (-3, 3)},
            certify=True,
        )
        assert found.certificate.is_complete
        assert found.q.tolist() == [[pytest.approx(root)]]
        assert found.certificate.boxes < 1000


def test_many_turns_are_one():
    theta = rt.coordinate("theta")
    pendulum = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-rt.cos(theta))
    found = rt.equilibria(pendulum, {}, {theta: (-31.0, 31.0)}, certify=True)
    assert found.certificate.is_complete
    assert len(found) == 2


def test_what_is_left_is_counted_in_the_sentence(monkeypatch):
    monkeypatch.setattr(certify, "BOXES", 4)
    x = rt.coordinate("x")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=rt.cos(20 * x))
    found = rt.equilibria(system, {}, {x: (-1.3, 1)}, certify=True)
    proof = found.certificate
    assert not proof.is_complete
    assert f"{len(proof.undecided)} boxes are undecided; 4 boxes looked at" in str(proof)
