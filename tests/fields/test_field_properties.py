"""What must hold for every system with fields, tried on random ones, in rational numbers.

Motions are polynomials in time and place, densities are polynomials in fields, so that actions and
their variations are rational numbers: the rows of `equations` are compared with the derivative of the
action, exactly. Nothing of the library is used on that side. Letters and signs: docs/conventions.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy import QQ, Rational
from sympy.polys.rings import PolyElement, ring

import routh as rt
from depth import cases
from random_systems import rational
from routh import at, cos, ddt, diff, exp, integral, t, vector
from routh.kernels.kernel import kernel
from routh.language.shapes import Shape
from routh.language.symbols import Signal
from routh.results import Field, FieldEquations, Force, Row, RowKind, Space
from sampling import point

seeds = st.integers(0, 10**6)

RING, TIME, S, X, EPSILON = ring("t, s, x, epsilon", QQ)


def antiderivative(p: PolyElement, generator: PolyElement) -> PolyElement:
    k = RING.gens.index(generator)
    raised = (((*m[:k], m[k] + 1, *m[k + 1 :]), c / (m[k] + 1)) for m, c in p.terms())
    return RING.from_dict(dict(raised))


def between(p: PolyElement, generator: PolyElement, lower: object, upper: object) -> PolyElement:
    """The integral; a bound may be the generator itself."""
    whole = antiderivative(p, generator)
    first, last = (
        whole if bound == generator else whole.subs(generator, QQ.convert(bound))
        for bound in (lower, upper)
    )
    return last - first


def over_time(p: PolyElement) -> PolyElement:
    return between(p, TIME, 0, 1)


def first_order(p: PolyElement) -> PolyElement:
    """The derivative by epsilon at zero."""
    return p.diff(EPSILON).subs(EPSILON, 0)


def truncated(p: PolyElement) -> PolyElement:
    """The polynomial without epsilon**2 and more."""
    return RING.from_dict({m: c for m, c in p.terms() if m[-1] < 2})


@dataclass(frozen=True)
class Motion:
    """Expressions along a polynomial motion: a polynomial for each coordinate, field and multiplier."""

    places: dict[Space, PolyElement]
    of: dict[sympy.Symbol, PolyElement]
    shift: dict[Signal, PolyElement] = field(default_factory=dict)
    """What is added to velocities alone."""
    known: dict[sympy.Basic, PolyElement] = field(default_factory=dict, compare=False)

    def __call__(self, value: sympy.Basic) -> PolyElement:
        if value not in self.known:
            self.known[value] = self._evaluated(value)
        return self.known[value]

    def _evaluated(self, value: sympy.Basic) -> PolyElement:
        if value.is_Rational:
            return RING(QQ.from_sympy(value))
        if value == t:
            return TIME
        if value in self.places:
            return self.places[value]
        if isinstance(value, Signal):
            return self._signal(value)
        if value in self.of:
            return self.of[value]
        if isinstance(value, sympy.Integral):
            found = self(value.function)
            for space, *bounds in value.limits:
                limits = [self(b) if b == space else QQ.from_sympy(b) for b in bounds]
                found = between(found, self.places[space], *limits)
            return found
        if value.is_Pow:
            return truncated(self(value.base) ** int(value.exp))
        assert value.is_Add or value.is_Mul, value
        found = RING.zero if value.is_Add else RING.one
        for argument in value.args:
            found = found + self(argument) if value.is_Add else found * self(argument)
        return found if value.is_Add else truncated(found)

    def _signal(self, symbol: Signal) -> PolyElement:
        p = self.of[symbol.base]
        for _ in range(symbol.order):
            p = p.diff(TIME)
        if symbol.order == 1:
            p += self.shift.get(symbol.base, RING.zero)
        return self._placed(p, symbol)

    def _placed(self, p: PolyElement, symbol: Signal) -> PolyElement:
        if isinstance(symbol, Field):
            place = self.places[symbol.space]
            for _ in range(symbol.slope):
                p = p.diff(place)
            if symbol.end is not None:
                p = p.subs(place, QQ.from_sympy(symbol.space.bounds[symbol.end]))
        return p

    def moved(self, variation: dict[Signal, PolyElement]) -> Motion:
        """The motion plus epsilon times a variation."""
        of = {x: p + EPSILON * variation.get(x, RING.zero) for x, p in self.of.items()}
        return replace(self, of=of, known={})

    def pushed(self, variation: dict[Signal, PolyElement]) -> Motion:
        """The same for velocities alone, as virtual power asks for: they get the variation."""
        return replace(self, shift={x: EPSILON * p for x, p in variation.items()}, known={})

    def expression(self, symbol: Signal) -> sympy.Expr:
        names = dict(zip(RING.gens, RING.symbols, strict=True))
        own = {names[p]: space for space, p in self.places.items()} | {names[TIME]: t}
        return self.of[symbol].as_expr().xreplace(own)


class World:
    """Two fields over one space, one over another, two coordinates; and random things in them."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.s, self.x = rt.space("s", Rational(-1, 2), 1), rt.space("x", 1, Rational(5, 2))
        self.places = {self.s: S, self.x: X}
        self.w, self.z, self.u = rt.field("w", self.s), rt.field("z", self.s), rt.field("u", self.x)
        self.q = rt.coordinates("q1 q2")
        self.fields = (self.w, self.z, self.u)

    def ends(self, slopes: int = 2) -> list[Field]:
        """Values and slopes at both ends of every field."""
        return [
            at(diff(w, w.space, k), w.space, end)
            for w in self.fields for end in w.space.bounds for k in range(slopes)
        ]  # fmt: skip

    def positions(self, space: Space | None = None) -> list[Signal]:
        """What a density over a space may contain, or an energy outside integrals."""
        inside = [diff(w, space, k) for w in self.fields if w.space == space for k in range(3)]
        return [*inside, *self.q, *self.ends()]

    def moving(self, space: Space | None = None) -> list[Signal]:
        """The same and the rates."""
        own = self.positions(space)
        return own + [ddt(x) for x in own]

    def cubic(
        self, variables: Sequence[sympy.Expr], terms: int, space: Space | None = None
    ) -> sympy.Expr:
        """A sum of products of three and fewer variables, with factors of time and place."""
        order = [variables[k] for k in self.random.permutation(len(variables))]
        factors = [1, 1, t] + ([space, t * space] if space else [])
        total = sympy.S.Zero
        for k in range(terms):
            size = int(self.random.integers(1, 4))
            picked = [order[(3 * k + i) % len(order)] for i in range(size)]
            scale = int(self.random.integers(1, 4)) * int(self.random.choice([-1, 1]))
            total += scale * factors[int(self.random.integers(len(factors)))] * sympy.Mul(*picked)
        return total

    def lagrangian(self, terms: int = 14) -> list[sympy.Expr]:
        densities = [integral(self.cubic(self.moving(y), terms, y), y) for y in (self.s, self.x)]
        return [*densities, self.cubic(self.moving(), terms)]

    def dissipation(self, terms: int = 5) -> list[sympy.Expr]:
        densities = [integral(self.cubic(self.moving(y), terms, y), y) for y in (self.s, self.x)]
        return [*densities, self.cubic(self.moving(), terms)]

    def forces(self, size: int = 2) -> list[Force]:
        """Distributed ones, one that follows, one at ends."""
        found = []
        for space, w in ((self.s, self.z), (self.x, self.u), (None, at(self.w, self.s, 1))):
            components = [self.cubic(self.moving(space), 2, space) for _ in range(size)]
            places = [w + self.cubic(self.positions(space), 2, space) for _ in range(size)]
            found.append(rt.force(vector(*components), at=vector(*places)))
        return found

    def polynomial(self, *generators: PolyElement, degree: int = 2, terms: int = 4) -> PolyElement:
        found = RING.zero
        for _ in range(terms):
            term = RING(QQ.from_sympy(rational(self.random)) + QQ(1, 7))
            for g in generators:
                term *= g ** int(self.random.integers(degree + 1))
            found += term
        return found

    def motion(self, others: Iterable[sympy.Symbol] = (), degree: int = 4, terms: int = 4) -> Motion:
        of = {
            w: self.polynomial(TIME, self.places[w.space], degree=degree, terms=terms)
            for w in self.fields
        }
        of |= {x: self.polynomial(TIME, degree=3, terms=terms) for x in (*self.q, *others)}
        return Motion(self.places, of)

    def variation(self) -> dict[Signal, PolyElement]:
        """Zero at both ends of time."""
        window = TIME**2 * (1 - TIME) ** 2
        found = {w: window * self.polynomial(TIME, self.places[w.space], degree=3) for w in self.fields}
        return found | {q: window * self.polynomial(TIME) for q in self.q}


def work(system: rt.System, motion: Motion, variation: dict[Signal, PolyElement]) -> PolyElement:
    """The derivative of the action and the virtual work of forces and losses: one rational number."""
    moved, pushed = motion.moved(variation), motion.pushed(variation)
    total = sum((first_order(moved(term)) for term in system.lagrangian_terms), RING.zero)
    total -= sum((first_order(pushed(term)) for term in system.dissipation), RING.zero)
    for force in system.forces:
        power = RING.zero
        for f, r in zip(force.components, force.at, strict=True):
            power += motion(f) * first_order(moved(r))
        if force.space:
            bounds = [QQ.from_sympy(b) for b in force.space.bounds]
            power = between(power, motion.places[force.space], *bounds)
        total += power
    return over_time(total)


def work_of_rows(
    rows: FieldEquations, motion: Motion, variation: dict[Signal, PolyElement]
) -> PolyElement:
    """The same from the strong form alone."""
    return over_time(density_of_work(rows, motion, variation))


def density_of_work(
    rows: FieldEquations, motion: Motion, variation: dict[Signal, PolyElement]
) -> PolyElement:
    """The work at each instant."""
    varied = Motion(motion.places, variation)
    total = RING.zero
    for row in rows.ordinary:
        total += row.sign * motion(row.expression) * varied(row.of)
    for row in rows.partial:
        space = row.of.space
        bounds = [QQ.from_sympy(b) for b in space.bounds]
        own = between(motion(row.expression) * varied(row.of), motion.places[space], *bounds)
        total += row.sign * own
    for row in rows.boundary:
        if row.kind.name == "NATURAL":
            total += row.sign * motion(row.expression) * varied(row.of)
    return total


def compare_with_the_action(
    world: World, system: rt.System, simplify: float = 0.0, degree: int = 4
) -> None:
    motion, variation = world.motion(degree=degree), world.variation()
    expected = work(system, motion, variation)
    assert expected != 0
    assert work_of_rows(rt.equations(system, simplify=simplify), motion, variation) == expected


@given(seeds)
@cases(3)
def test_rows_are_the_first_variation_of_the_action(seed):
    world = World(seed)
    system = rt.System(
        lagrangian=world.lagrangian(), dissipation=world.dissipation(), forces=world.forces()
    )
    compare_with_the_action(world, system)


@pytest.mark.slow
def test_shortened_rows_are_the_first_variation_too():
    world = World(3)
    system = rt.System(
        kinetic=integral(world.cubic(world.moving(world.s), 5, world.s), world.s),
        potential=[integral(world.cubic(world.positions(y), 5, y), y) for y in (world.s, world.x)],
        forces=world.forces(),
    )
    compare_with_the_action(world, system, simplify=1.0)


# Conditions at ends -------------------------------------------------------------------------------


def hermite(space: Space, place: PolyElement, end: int, slope: int) -> PolyElement:
    """The cubic with value or slope 1 at an end, and 0 for the other three."""
    a, b = (QQ.from_sympy(bound) for bound in space.bounds)
    xi, h = (place - a) * (1 / (b - a)), b - a
    cubics = {
        (0, 0): 2 * xi**3 - 3 * xi**2 + 1, (0, 1): h * (xi**3 - 2 * xi**2 + xi),
        (1, 0): -2 * xi**3 + 3 * xi**2, (1, 1): h * (xi**3 - xi**2),
    }  # fmt: skip
    return cubics[end, slope]


class Conditions:
    """Some end values tied to others, to coordinates and to time; written as mixed up as possible."""

    def __init__(self, world: World, slopes: int = 2, count: int = 4) -> None:
        ends = world.ends(slopes)
        ends = [ends[k] for k in world.random.permutation(len(ends))]
        self._world = world
        self.tied: dict[Field, sympy.Expr] = {}
        for end in ends[:count]:
            some = [ends[k] for k in world.random.choice(range(count, len(ends)), 2, replace=False)]
            value = sum((rational(world.random) * x for x in some), t**2 / 3)
            self.tied[end] = value + (1 + t) * world.q[int(world.random.integers(2))]
        plain = [end - value for end, value in self.tied.items()]
        sums = [
            sum(((k + 2) * phi for k, phi in enumerate(plain[i:])), sympy.S.Zero) for i in range(count)
        ]
        self.written = [sums[k] - (sums[-1] if k == 0 else 0) for k in world.random.permutation(count)]

    def kept(self, motion: Motion) -> Motion:
        """The motion with its fields changed at ends so that the conditions hold."""
        return replace(motion, of=self._fitted(motion.of, motion), known={})

    def respected(self, variation: dict[Signal, PolyElement]) -> dict[Signal, PolyElement]:
        return self._fitted(
            variation, Motion(self._world.places, dict.fromkeys(variation, RING.zero)), -1
        )

    def _fitted(
        self, of: dict[Signal, PolyElement], rest: Motion, sign: int = 0
    ) -> dict[Signal, PolyElement]:
        """Each tied end value brought to what it is tied to, less what that is at rest."""
        found, now = dict(of), Motion(self._world.places, of)
        for end, value in self.tied.items():
            target = now(value) + sign * rest(value)
            unit = hermite(end.space, self._world.places[end.space], end.end, end.slope)
            found[end.base] += unit * (target - now(end))
        return found


@pytest.mark.slow
@given(seeds)
@cases(2)
def test_with_conditions_at_ends_the_rows_are_the_first_variation_that_respects_them(seed):
    world = World(seed)
    conditions = Conditions(world)
    system = rt.System(
        lagrangian=world.lagrangian(),
        dissipation=world.dissipation(),
        forces=world.forces(),
        constraints=conditions.written,
    )
    motion, variation = conditions.kept(world.motion()), conditions.respected(world.variation())
    assert all(motion(phi) == 0 for phi in system.constraints)
    rows = rt.equations(system, simplify=0)
    kinds = [row.kind.name for row in rows.boundary]
    assert (kinds.count("GEOMETRIC"), kinds.count("NATURAL")) == (4, 8)
    assert not rows.multipliers
    expected = work(system, motion, variation)
    assert expected != 0
    assert work_of_rows(rows, motion, variation) == expected


def reaction_work(
    system: rt.System,
    multipliers: Sequence[sympy.Symbol],
    motion: Motion,
    variation: dict[Signal, PolyElement],
) -> PolyElement:
    """The virtual work of reactions: -multiplier times the change of the constraint."""
    total = RING.zero
    for phi, multiplier, holonomic in zip(
        system.constraints, multipliers, system.is_holonomic, strict=True
    ):
        changed = motion.moved(variation) if holonomic else motion.pushed(variation)
        total -= motion(multiplier) * first_order(changed(phi))
    return over_time(total)


def compare_with_reactions(world: World, constraints: list[sympy.Expr]) -> None:
    system = rt.System(lagrangian=world.lagrangian(5), constraints=constraints)
    rows = rt.equations(system, simplify=0)
    assert len(rows.multipliers) == len(constraints)
    motion, variation = world.motion(rows.multipliers), world.variation()
    expected = work(system, motion, variation)
    expected += reaction_work(system, rows.multipliers, motion, variation)
    assert work_of_rows(rows, motion, variation) == expected


def test_conditions_that_are_not_linear_act_by_multipliers():
    world = World(5)
    (q1, q2), w, z, u, s, x = world.q, world.w, world.z, world.u, world.s, world.x
    holonomic = [
        at(w, s, 1) ** 2 + q1 * at(diff(u, x), x, 1) - t,
        integral(s * w * diff(z, s) + q2 * at(u, x, 1) * diff(w, s, 2), s) - q1,
        q1 * integral(u, x) - q2 * t,
    ]
    compare_with_reactions(world, holonomic)
    rolling = [t * ddt(q1) + q2 * at(diff(ddt(u), x), x, 1) + ddt(at(z, s, 1)) - 1]
    compare_with_reactions(World(6), [])
    compare_with_reactions(world, [*holonomic, *rolling])


def test_a_velocity_constraint_may_contain_an_integral_of_rates():
    world = World(7)
    (q1, q2), w, s = world.q, world.w, world.s
    compare_with_reactions(world, [integral(s * q2 * ddt(w), s) - ddt(q1)])


# Running integrals, and energies that are no linear functions of integrals ------------------------


@pytest.mark.slow
@given(seeds)
@cases(3)
def test_running_integrals_in_densities(seed):
    world = World(seed)
    s, x, w, z, u, (q1, q2) = world.s, world.x, world.w, world.z, world.u, world.q
    first = integral(diff(w, s) ** 2 / 2 + q1 * diff(z, s, 2), s, upto=s)
    second = integral(s * w * ddt(z) + t * diff(ddt(w), s), s, upto=s)
    other = integral(x * q2 * diff(u, x), x, upto=x)
    density = world.cubic([*world.moving(s), first, ddt(first), second], 3, s)
    density += (s + first) * diff(w, s) * ddt(z) - ddt(first) ** 2 / 2 + t * second * w
    system = rt.System(
        lagrangian=[
            integral(density, s),
            integral(x * other * ddt(other) + other**2, x),
            q1 * at(first, s, 1) + integral(ddt(q2) * s * second, s),
        ],
        dissipation=integral(s * ddt(first) ** 2 / 2 + ddt(first) * ddt(w), s),
        forces=[
            rt.force(vector(-diff(w, s), 1 + ddt(z)), at=vector(s + first, w)),
            rt.force(vector(t, at(diff(w, s), s, 1)), at=at(vector(first, w + q1), s, 1)),
        ],
    )
    compare_with_the_action(world, system, degree=1)


def running_system(world: World, inner: sympy.Expr) -> rt.System:
    """A density with a running integral of what is given."""
    s, w, z, (q1, q2) = world.s, world.w, world.z, world.q
    density = s * w * integral(inner, s, upto=s) + ddt(z) ** 2 / 2 + ddt(q1) * ddt(q2) * w
    return rt.System(lagrangian=[integral(density, s), integral(world.u**2, world.x)])


def test_end_values_in_running_integrals():
    world = World(21)
    s, w, z = world.s, world.w, world.z
    compare_with_the_action(world, running_system(world, at(z, s, 1) + diff(w, s) ** 2 / 2), degree=2)


def test_running_integrals_in_running_integrals():
    world = World(22)
    s, w, z = world.s, world.w, world.z
    inner = s * diff(z, s) + diff(w, s) * integral(diff(w, s) ** 2 / 2, s, upto=s)
    compare_with_the_action(world, running_system(world, inner), degree=2)


def test_a_density_may_be_a_running_integral_alone():
    s = rt.space("s", 0, 1)
    w = rt.field("w", s)
    (row,) = rt.equations(
        rt.System(lagrangian=integral(integral(w**2, s, upto=s), s)), simplify=0
    ).partial
    assert Motion({s: S}, {w: S})(row.expression) == -2 * S * (1 - S)


def of_integrals(world: World) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """Three integrals of fields alone."""
    s, x, w, z, u = world.s, world.x, world.w, world.z, world.u
    stretch = integral(diff(w, s) ** 2 / 2 + s * z * diff(z, s, 2), s)
    momentum = integral((1 + s) * ddt(w) + diff(ddt(z), s) * w, s)
    other = integral(x * diff(u, x) ** 2 + t * u, x)
    return stretch, momentum, other


@pytest.mark.slow
def test_energies_that_are_products_of_integrals():
    world = World(11)
    stretch, momentum, other = of_integrals(world)
    s, w, (q1, q2) = world.s, world.w, world.q
    system = rt.System(
        kinetic=[momentum**2 * (1 + q1**2) / 2, ddt(q2) ** 2 * other / 2],
        potential=[stretch**2, q2 * stretch * other, at(w, s, 1) ** 2 * other**2],
        dissipation=momentum**2 / 2 * ddt(q1) + momentum * stretch * ddt(q2),
        forces={q1: stretch * other, q2: momentum**2, at(w, s, 1): momentum * other},
    )
    compare_with_the_action(world, system)


def test_terms_linear_in_integrals_beside_products_of_them():
    world = World(12)
    stretch, momentum, other = of_integrals(world)
    q1, q2 = world.q
    system = rt.System(
        kinetic=[ddt(q1) * momentum, ddt(q2) ** 2 / 2], potential=[stretch**2, (1 + q1) * q2 * other]
    )
    compare_with_the_action(world, system)


def test_products_of_integrals_that_contain_coordinates_and_end_values():
    world = World(13)
    s, w, (q1, q2) = world.s, world.w, world.q
    long = integral(diff(w, s) ** 2 / 2 + q1 * s * w + at(w, s, 1) * diff(w, s, 2), s)
    quick = integral(ddt(q2) * ddt(w) + s * ddt(w) ** 2, s)
    system = rt.System(
        kinetic=[quick**2 / 2, ddt(world.z.at_end(1)) * quick],
        potential=[long**2, q2 * long * world.q[1]],
    )
    compare_with_the_action(world, system)


# The linear equations -------------------------------------------------------------------------------


def name(row: Row) -> tuple[RowKind, Signal | None]:
    return row.kind, row.of


def forced(motion: Motion, row: Row) -> PolyElement:
    """A row as a force on a variation, whatever sign it is written with."""
    return motion(row.expression) * (row.sign or 1)


def compare_with_the_gateaux_derivative(
    system: rt.System, reference: Motion, direction: dict[sympy.Symbol, PolyElement]
) -> None:
    """The nonlinear rows, differentiated at the reference, against the linear ones."""
    about = {x: reference.expression(x) for x in (*system.coordinates, *system.fields)}
    linear = rt.linear_equations(system, about, simplify=0)
    rows = rt.equations(system, simplify=0)
    moved, deviation = reference.moved(direction), Motion(reference.places, direction)
    expected = {name(row): first_order(forced(moved, row)) for row in rows.rows if row.of}
    found = {name(row): forced(deviation, row) for row in linear.rows if row.of}
    assert found == {key: p for key, p in expected.items() if key in found}
    assert not any(p for key, p in expected.items() if key not in found)
    assert [first_order(moved(row.expression)) for row in rows.rows if not row.of] == [
        deviation(row.expression) for row in linear.rows if not row.of
    ]
    residual = {name(row): forced(reference, row) for row in linear.residual}
    own = {name(row): forced(reference, row) for row in rows.rows}
    assert residual == {key: p for key, p in own.items() if p}
    signs = {name(row): row.sign for row in linear.rows}
    assert all(signs.get(name(row), row.sign) == row.sign for row in linear.residual)


@given(seeds, st.booleans())
@cases(2)
def test_linear_rows_are_the_derivative_of_the_rows_about_any_motion(seed, held):
    world = World(seed)
    system = rt.System(
        lagrangian=world.lagrangian(3),
        dissipation=world.dissipation(2),
        forces=world.forces(1),
        constraints=Conditions(world).written if held else (),
    )
    compare_with_the_gateaux_derivative(system, world.motion(degree=2, terms=2), world.motion().of)


@pytest.mark.parametrize("end", [0, 1])
def test_the_table_of_coefficients_is_that_of_the_mathematics(end):
    """Oracle (1) of (b): every c_ij, and p_ij and N at an end, where the sign tells which."""
    place, moment = Rational(3, 10), {t: Rational(2, 5)}
    s = rt.space("s", *((0, place) if end else (place, 1)))
    w = rt.field("w", s)
    z = [w, ddt(w), diff(w, s), diff(ddt(w), s), diff(w, s, 2)]
    S_ = [
        [exp(-(a + 1) * (b + 1) * s / 10) * cos((a + b + 1) * t / 5) for b in range(5)]
        for a in range(5)
    ]
    density = sum(S_[a][b] * z[a] * z[b] for a in range(5) for b in range(5)) / 2
    linear = rt.linear_equations(rt.System(lagrangian=integral(density, s)), {w: 0}, simplify=0)
    c = {
        (0, 0): -1.58114837802888, (1, 0): -1.16762016931032, (2, 0): 1.44112529255518,
        (0, 1): -1.50649877939893, (1, 1): -1.28091418808007, (2, 1): 0.838827826108752,
        (0, 2): -3.36430811837445, (1, 2): 3.10136178725347, (2, 2): -0.524267391317970,
        (0, 3): 2.30003589461333, (1, 3): -0.880398970377113, (0, 4): -0.355127880605230,
    }  # fmt: skip
    p = {
        (0, 0): 1.50731474786622, (1, 0): 0.914401094905119, (2, 0): -0.724532239624323,
        (0, 1): 1.10731197550189, (1, 1): 0.683461846052176, (2, 1): -0.524267391317970,
        (0, 2): 1.41221619310026, (1, 2): -0.880398970377113, (0, 3): -0.355127880605230,
    }  # fmt: skip
    (partial,) = linear.partial
    for i in range(4):
        for j in range(6):
            got = partial.coefficient(ddt(diff(w, s, j), i)).xreplace({s: place}).xreplace(moment)
            assert float(got) == pytest.approx(c.get((i, j), 0.0), rel=1e-13, abs=1e-13), (i, j)
    rows = {row.of: row for row in linear.boundary}
    for i in range(4):
        for j in range(5):
            sign = (1 if end else -1) * rows[at(w, s, place)].sign
            symbol = at(ddt(diff(w, s, j), i), s, place)
            got = rows[at(w, s, place)].coefficient(symbol).xreplace(moment)
            assert float(got) == pytest.approx(sign * p.get((i, j), 0.0), rel=1e-13, abs=1e-13), (i, j)
            known = {(0, 0): 0, (1, 0): 1, (0, 1): 2, (1, 1): 3, (0, 2): 4}
            N = float(S_[4][known[i, j]].xreplace({s: place} | moment)) if (i, j) in known else 0.0
            sign = (1 if end else -1) * rows[at(diff(w, s), s, place)].sign
            got = rows[at(diff(w, s), s, place)].coefficient(symbol).xreplace(moment)
            assert float(got) == pytest.approx(sign * N, rel=1e-13, abs=1e-13), (i, j)


# Discretized systems --------------------------------------------------------------------------------


@pytest.mark.slow
@given(seeds, st.booleans())
@cases(2)
def test_a_discretized_system_weighs_the_rows_with_its_functions(seed, held):
    compare_with_weighed_rows(World(seed), held, [])


def test_a_discretized_system_with_distributed_forces_weighs_the_rows():
    world = World(0)
    force = rt.force(vector(world.w**3 + world.s * world.z**3), at=vector(world.z))
    compare_with_weighed_rows(world, False, [force])


def compare_with_weighed_rows(world: World, held: bool, forces: list[Force]) -> None:
    """The residual is the work of the rows along each function, at any point of any motion."""
    system = rt.System(
        lagrangian=[
            *world.lagrangian(4),
            *(integral(diff(w, w.space, 2) ** 2, w.space) for w in world.fields),
        ],
        dissipation=world.dissipation(3),
        forces=forces,
        constraints=Conditions(world).written if held else (),
    )
    rows = rt.equations(system, simplify=0)
    made = rt.discretize(system, dict.fromkeys(world.fields, 5))
    q, v, a = world.random.uniform(-1, 1, (3, len(made.coordinates)))
    found = kernel(made).residual(point(made, {}, list(q), list(v), list(a), time=0.0))[0]
    amplitudes = Motion(world.places, {
        x: exact(q[k]) + exact(v[k]) * TIME + exact(a[k] / 2) * TIME**2
        for k, x in enumerate(made.coordinates)
    })  # fmt: skip
    of = {x: amplitudes(x) for x in system.coordinates}
    of |= {
        shape.field: combined(shape, [amplitudes(c) for c in shape.amplitudes], world)
        for shape in made.shapes
    }
    motion = Motion(world.places, of)
    for k, c in enumerate(made.coordinates):
        along = {x: RING(int(x == c)) for x in system.coordinates}
        along |= {
            shape.field: combined(shape, [amplitudes(e.diff(c)) for e in shape.amplitudes], world)
            for shape in made.shapes
        }
        expected = -density_of_work(rows, motion, along).subs(TIME, 0)
        assert found[k] == pytest.approx(float(expected.coeff(1)), rel=1e-8, abs=1e-8)


def exact(value: float) -> PolyElement:
    return RING(QQ.from_sympy(Rational(value)))


def combined(shape: Shape, amplitudes: list[PolyElement], world: World) -> PolyElement:
    """A sum of the functions of a field, read off at Gauss points."""
    place = world.places[shape.field.space]
    a, b = (QQ.from_sympy(bound) for bound in shape.field.space.bounds)
    xi = (2 * place - a - b) * (1 / (b - a))
    nodes = np.polynomial.legendre.leggauss(shape.basis.size)[0]
    values = shape.basis.values(nodes, 0)
    total = RING.zero
    for column, amplitude in zip(values.T, amplitudes, strict=True):
        powers = np.linalg.solve(np.vander(nodes, increasing=True), column)
        total += amplitude * sum((exact(c) * xi**k for k, c in enumerate(powers)), RING.zero)
    return total
