"""Mistakes people make, each with the sentence it gets."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import problems
import routh as rt
from routh import cos, ddt, norm2, sin, t, vector

x, y = rt.coordinates("x y")
m, k, c, g, l = rt.parameters("m k c g l")
F = rt.input("F")
T = m * ddt(x) ** 2 / 2
V = k * x**2 / 2


def oscillator(**more):
    return rt.System(kinetic=T, potential=V, **more)


DECLARATIONS = {
    "a plain SymPy symbol": (
        lambda: rt.System(kinetic=T, potential=sympy.Symbol("stiffness") * x**2),
        r"`potential` contains `stiffness`, a plain SymPy symbol.*parameter\(\"stiffness\"\)",
    ),
    "a misspelt symbol": (
        lambda: rt.System(
            kinetic=T, potential=rt.parameter("stiffness") * x**2 + sympy.Symbol("stifness")
        ),
        r"Did you mean `stiffness`\?",
    ),
    "SymPy's own t": (
        lambda: rt.System(kinetic=T, potential=V + sympy.Symbol("t") * x),
        r"Time is `routh.t`",
    ),
    "a velocity in the potential": (
        lambda: rt.System(kinetic=T, potential=V + c * ddt(x) ** 2 / 2),
        r"`potential` contains the velocity `x'`.*`lagrangian=T - V`",
    ),
    "an acceleration in the kinetic energy": (
        lambda: rt.System(kinetic=m * ddt(x, 2) ** 2, potential=V),
        r"`kinetic` contains `x''`",
    ),
    "a coordinate that appears nowhere": (
        lambda: oscillator(forces={y: F}),
        r"Coordinate `y` appears in no energy.*contain: x",
    ),
    "a listed coordinate that appears nowhere": (
        lambda: oscillator(coordinates=[x, y]),
        r"Coordinate `y` appears in no energy",
    ),
    "a coordinate left out of the order": (
        lambda: rt.System(kinetic=T + ddt(y) ** 2, coordinates=[x]),
        r"`coordinates` lacks `y`",
    ),
    "a vector for an energy": (
        lambda: rt.System(kinetic=m / 2 * vector(ddt(x), 0), potential=V),
        r"`kinetic` must be a scalar expression. Got a 2 x 1 matrix; make a scalar",
    ),
    "text for an energy": (
        lambda: rt.System(kinetic="m*x**2"),
        r"`kinetic` must be an expression. Got 'm\*x\*\*2', a str",
    ),
    "a force at a scalar": (
        lambda: oscillator(forces=[rt.force(vector(F, 0), at=x)]),
        r"The point `at` which a force acts must be a vector",
    ),
    "a force and a point of different size": (
        lambda: rt.force(vector(F, 0, 0), at=vector(x, 0)),
        r"Got a force of 3 at a point of 2",
    ),
    "a force at a fixed point": (
        lambda: rt.force(vector(F, 0), at=vector(1, 2)),
        r"must move with some coordinate",
    ),
    "a force at a velocity": (
        lambda: rt.force(vector(F, 0), at=ddt(vector(x, 0))),
        r"must not contain velocities",
    ),
    "a name used twice": (
        lambda: rt.System(kinetic=T + m * ddt(rt.coordinate("x")) ** 2 / 2),
        r"The name `x` stands for two coordinates in one system",
    ),
    "a parameter called like a coordinate": (
        lambda: rt.System(kinetic=T, potential=rt.parameter("x") * x),
        r"The name `x` stands for a coordinate and a parameter",
    ),
    "an intermediate called like a parameter": (
        lambda: rt.System(kinetic=T, potential=k * rt.let("m", sin(x)) ** 2),
        r"The name `m` stands for a parameter and an intermediate",
    ),
    "a constraint without coordinate": (
        lambda: oscillator(constraints=[l - 1]),
        r"Constraint `l - 1` contains no coordinate",
    ),
    "lagrangian and kinetic": (
        lambda: rt.System(lagrangian=T - V, kinetic=T),
        r"Give either `lagrangian`, or `kinetic` and `potential`",
    ),
    "no energy": (lambda: rt.System(name="nothing"), r"A system needs an energy"),
    "no coordinate": (lambda: rt.System(kinetic=m), r"The energies contain no coordinate"),
    "a division by zero": (
        lambda: rt.System(kinetic=T, potential=V + sympy.zoo),
        r"`potential` must be real and finite",
    ),
    "forces as text": (lambda: oscillator(forces="F"), r"`forces` must be \{coordinate: expression\}"),
    "forces for a parameter": (lambda: oscillator(forces={k: F}), r"`forces` maps coordinates"),
    "an item of forces": (lambda: oscillator(forces=[F]), r"An item of `forces` must be force"),
    "an empty vector": (vector, r"A vector needs components"),
    "dot of different lengths": (lambda: rt.dot(vector(x), vector(x, y)), r"Got 1 and 2 components"),
    "cross in the plane": (lambda: rt.cross(vector(x, y), vector(y, x)), r"three components"),
    "a zero axis": (lambda: rt.rotation(x, vector(0, 0, 0)), r"not all zero"),
    "a torque on a plane matrix": (lambda: rt.torque(F, rt.rotation(x)), r"3 x 3 rotation"),
    "diff by a number": (lambda: rt.diff(x**2, 3), r"differentiates with respect to a symbol"),
    "ddt of order -1": (lambda: ddt(x, -1), r"must be 0, 1, 2"),
    "ddt of text": (lambda: ddt("x"), r"The argument of ddt must be an expression"),
    "a name with a blank": (lambda: rt.coordinate("my angle"), r"one word of letters"),
    "names as a list": (lambda: rt.parameters(["m", "k"]), r'given as one text, like "x y"'),
    "a default that is no number": (
        lambda: rt.parameter("g", "earth"),
        r"must be a finite number. Got 'earth'",
    ),
}


@pytest.mark.parametrize("mistake", DECLARATIONS)
def test_declaration_is_refused_with_a_sentence(mistake):
    make, message = DECLARATIONS[mistake]
    with pytest.raises(rt.DeclarationError, match=message):
        make()


full = {"m": 1, "k": 2}

VALUES = {
    "a missing value": (
        lambda: rt.equilibrium(problems.double_pendulum().system, {"m1": 1, "m2": 1, "l1": 1}),
        r"`values` lacks `g` and `l2`. Got: m1, m2, l1. Add them, or give a default with parameter",
    ),
    "a misspelt value": (
        lambda: rt.equilibrium(
            rt.System(kinetic=T, potential=rt.parameter("stiffness") * x**2), {"m": 1, "stifness": 1}
        ),
        r"`values` has `stifness`, which is no parameter of the system.*Did you mean `stiffness`\?",
    ),
    "text for a value": (
        lambda: rt.equilibrium(oscillator(), {"m": "heavy", "k": 2}),
        r"`m` in `values` must be a number or an array of numbers. Got 'heavy'",
    ),
    "NaN": (
        lambda: rt.equilibrium(oscillator(), {"m": 1, "k": float("nan")}),
        r"`k` in `values` must be finite",
    ),
    "an expression for a value": (
        lambda: rt.equilibrium(oscillator(), {"m": 1, "k": 2 * m}),
        r"`k` in `values` must be a number. Got the expression 2\*m",
    ),
    "shapes that do not fit": (
        lambda: rt.equilibrium(oscillator(), {"m": np.ones(3), "k": np.ones(4)}),
        r"must broadcast.*m \(3,\)",
    ),
    "an empty array": (
        lambda: rt.equilibrium(oscillator(), {"m": [], "k": 1}),
        r"must not be empty",
    ),
    "values as a list": (lambda: rt.equilibrium(oscillator(), [1, 2]), r"`values` must map parameters"),
    "an unknown guess": (
        lambda: rt.equilibrium(oscillator(), full, guess={y: 1}),
        r"`guess` has `y`, which is no coordinate of the system. Coordinates: x",
    ),
    "an unknown input": (
        lambda: rt.equilibrium(oscillator(), full, inputs={F: 1}),
        r"`inputs` has `F`, which is no input",
    ),
    "a reference that lacks a coordinate": (
        lambda: rt.linear_equations(oscillator(), {}),
        r"`about` lacks `x`",
    ),
    "a reference for something else": (
        lambda: rt.linear_equations(oscillator(), {x: 0, y: 0}),
        r"`about` has `y`, which is no coordinate, field or input",
    ),
    "a reference that moves with another coordinate": (
        lambda: rt.linear_equations(oscillator(), {x: ddt(x)}),
        r"The reference of `x` contains `x'`",
    ),
    "an output of another system": (
        lambda: rt.state_space(rt.linearize(rt.equilibrium(oscillator(), full)), outputs=[y]),
        r"An output, `y`, contains `y`, which is no part of the system",
    ),
    "no outputs": (
        lambda: rt.state_space(rt.linearize(rt.equilibrium(oscillator(), full)), outputs=[]),
        r"`outputs` must hold at least one",
    ),
}


@pytest.mark.parametrize("mistake", VALUES)
def test_values_are_refused_with_a_sentence(mistake):
    make, message = VALUES[mistake]
    with pytest.raises(rt.DeclarationError, match=message):
        make()


def undetermined():
    system = rt.System(kinetic=T, potential=[V, c * (x - x) * y + 0 * c, k * y**4])
    return rt.linearize(rt.equilibrium(system, full))


DERIVATIONS = {
    "linearize of a system": (
        lambda: rt.linearize(oscillator()),
        r"needs an Equilibrium.*Got a System",
    ),
    "modes of an equilibrium": (
        lambda: rt.modes(rt.equilibrium(oscillator(), full)),
        r"modes needs a LinearModel.*Got an Equilibrium",
    ),
    "stability of a number": (lambda: rt.stability(3), r"stability needs a LinearModel.*Got an int"),
    "state_space of a number": (lambda: rt.state_space(3), r"state_space needs a LinearModel"),
    "modes of a motion that nothing determines": (
        lambda: rt.modes(undetermined()),
        r"do not determine its motion: some direction has neither mass",
    ),
    "states without mass": (
        lambda: rt.state_space(undetermined()),
        r"The mass matrix of the system is singular",
    ),
    "a function that cannot be computed": (
        lambda: rt.equilibrium(rt.System(kinetic=T, potential=sympy.zeta(x + 2)), {"m": 1}),
        r"`zeta` in zeta\(x \+ 2\) has no numerical counterpart. Supported: .*sin",
    ),
    "a linear model that depends on time": (
        lambda: rt.linearize(
            rt.equilibrium(rt.System(kinetic=T, potential=k * (2 + cos(t)) * x**2), full)
        ),
        r"depends on time, although its equilibrium does not: `K \+ H` changes",
    ),
}


@pytest.mark.parametrize("mistake", DERIVATIONS)
def test_derivation_is_refused_with_a_sentence(mistake):
    make, message = DERIVATIONS[mistake]
    with pytest.raises(rt.DerivationError, match=message):
        make()


def test_newton_failure_carries_its_result():
    with pytest.raises(
        rt.SolveError, match=r"in the equation of `x`, at x = .*Try another `guess`"
    ) as error:
        rt.equilibrium(rt.System(kinetic=T, potential=x**3 / 3 + x), {"m": 1}, guess={x: 1.0})
    assert error.value.result.status is rt.Status.STALLED
    looked_at = rt.equilibrium(
        rt.System(kinetic=T, potential=x**3 / 3 + x), {"m": 1}, guess={x: 1.0}, raises=False
    )
    assert not looked_at.converged
    with pytest.raises(rt.SolveError, match="needs an equilibrium that was found"):
        rt.linearize(looked_at)


def test_nan_is_reported_where_it_is_born():
    system = rt.System(kinetic=T, potential=[V, k * sympy.log(x)])
    with pytest.raises(
        rt.SolveError, match=r"The term `k\*log\(x\)` of `potential`.*not finite at x = 0"
    ):
        rt.equilibrium(system, full)


def test_a_force_that_nothing_balances_names_its_coordinate():
    system = rt.System(kinetic=T, potential=m * g * x)
    with pytest.raises(rt.NoEquilibrium, match=r"the force 9.81 on `x` does not depend on any"):
        rt.equilibrium(system, {"m": 1, "g": 9.81})


def test_a_batch_never_raises_but_says_where_it_failed():
    system = rt.System(kinetic=T, potential=k * x**2 / 2 + sympy.log(1 + k) * x)
    rest = rt.equilibrium(system, {"m": 1, "k": np.array([1.0, -2.0, 3.0])})
    assert rest.converged.tolist() == [True, False, True]
    assert rest.status[1] is rt.Status.NOT_FINITE
    modes = rt.modes(rt.linearize(rest))
    assert np.isnan(modes.eigenvalues[1]).all()
    assert modes.frequencies[[0, 2], 0] == pytest.approx([1, 3**0.5])
    assert [str(v) for v in modes.stability.verdict] == ["stable", "undecided", "stable"]


def test_a_shaken_system_is_named_with_its_term():
    theta = rt.coordinate("theta")
    a, nu = rt.parameters("a nu")
    tip = l * vector(sin(theta), -cos(theta))
    shaken = rt.System(
        kinetic=m / 2 * norm2(ddt(tip + vector(a * cos(nu * t), 0))), potential=m * g * tip[1]
    )
    values = {"m": 1, "l": 1, "g": 9.81, "a": 0.1, "nu": 20}
    with pytest.raises(rt.NoEquilibrium, match=r"equation of `theta`.*cos\(nu\*t\)") as error:
        rt.equilibrium(shaken, values, guess={theta: 1.0})
    assert error.value.result.status is rt.Status.TIME_DEPENDENT


SEARCHES = {
    "a range that is missing": (
        lambda: rt.equilibria(oscillator(), {"m": 1, "k": 1}),
        r"`within` lacks `x`: it is no angle.*within=\{x: \(-1, 1\)\}",
    ),
    "an empty range": (
        lambda: rt.equilibria(oscillator(), {"m": 1, "k": 1}, within={x: (1, -1)}),
        r"The range of `x` in `within` is empty: expected low < high. Got \(1, -1\)",
    ),
    "a range that is a number": (
        lambda: rt.equilibria(oscillator(), {"m": 1, "k": 1}, within={x: 3}),
        r"The range of `x` in `within` must be a pair \(low, high\)",
    ),
    "a range of something else": (
        lambda: rt.equilibria(oscillator(), {"m": 1, "k": 1}, within={"z": (0, 1)}),
        r"`within` has `z`, which is no coordinate",
    ),
    "arrays among the values": (
        lambda: rt.equilibria(oscillator(), {"m": 1, "k": np.ones(3)}, within={x: (-1, 1)}),
        r"equilibria looks at one set of values at a time",
    ),
    "no starts": (
        lambda: rt.equilibria(oscillator(), {"m": 1, "k": 1}, within={x: (-1, 1)}, starts=0),
        r"`starts` must be a whole number above zero. Got 0",
    ),
    "a symmetry of something else": (
        lambda: rt.equilibria(
            oscillator(), {"m": 1, "k": 1}, within={x: (-1, 1)}, symmetries=[{y: -y}]
        ),
        r"`symmetries` maps `y`, which is no coordinate of the system. Coordinates: x",
    ),
    "a symmetry that is no map": (
        lambda: rt.equilibria(oscillator(), {"m": 1, "k": 1}, within={x: (-1, 1)}, symmetries=[-x]),
        r"`symmetries` must hold maps",
    ),
    "one array for a map": (
        lambda: rt.stability_map(oscillator(), {"m": 1, "k": np.ones(3)}),
        r"stability_map needs two parameters with an array.*Got: k \(3,\)",
    ),
}


@pytest.mark.parametrize("mistake", SEARCHES)
def test_search_is_refused_with_a_sentence(mistake):
    make, message = SEARCHES[mistake]
    with pytest.raises(rt.DeclarationError, match=message):
        make()


def test_values_that_make_the_system_degenerate_are_said():
    """Without stiffness every position is an equilibrium: one family. Without mass none is judged."""
    found = rt.equilibria(oscillator(), {"m": 1, "k": 0}, within={x: (-1, 1)})
    assert found.dimension.tolist() == [1]
    assert "It can drift" in found.stability.sentence[0]
    massless = rt.equilibria(oscillator(), {"m": 0, "k": 1}, within={x: (-1, 1)})
    assert massless.q.tolist() == [[0]]
    assert len(massless.stability.sentence[0]) > 20


L, rho, EI = rt.parameters("L rho EI")
s, other = rt.space("s", 0, L), rt.space("z", 0, 1)
w, v = rt.field("w", s), rt.field("v", other)
LIVELY = rt.integral(rho / 2 * ddt(w) ** 2, s)
BENT = rt.integral(EI / 2 * rt.diff(w, s, 2) ** 2, s)
CLAMPED = [rt.at(w, s, 0), rt.at(rt.diff(w, s), s, 0)]


def beam(**more):
    return rt.System(**({"kinetic": LIVELY, "potential": BENT, "constraints": CLAMPED} | more))


def slender(n=4):
    return rt.discretize(beam(), {w: n})


NUMBERS = {"L": 1, "rho": 1, "EI": 1}

FIELDS = {
    "a field without domain": (
        lambda: rt.field("w"),
        r"The field `w` needs the space it lives on.*field\(\"w\", s\)",
    ),
    "a field over a number": (lambda: rt.field("w", 3), r"needs the space it lives on.*Got 3"),
    "a space that ends before it starts": (
        lambda: rt.space("s", 1, 0),
        r"The space `s` must end behind its start. Got 1 to 0",
    ),
    "a bound that moves": (
        lambda: rt.space("s", 0, x),
        r"A bound of the space `s` may contain finite numbers, parameters and other spaces alone. Got `x`",
    ),
    "a bound of text": (lambda: rt.space("s", 0, "L"), r"must be a number or an expression in param"),
    "a density that is not integrated": (
        lambda: beam(potential=EI / 2 * rt.diff(w, s, 2) ** 2),
        r"`potential` contains `w_ss`, which varies along `s`, outside an integral.*integral\(..., s\)",
    ),
    "a place outside an integral": (
        lambda: beam(potential=[BENT, s * rt.at(w, s, L)]),
        r"`potential` contains the space `s` outside an integral",
    ),
    "a third derivative in a density": (
        lambda: beam(potential=rt.integral(rt.diff(w, s, 3) ** 2, s)),
        r"`potential` contains `w_sss`, a derivative of order 3 along `s`.*up to order 2",
    ),
    "an acceleration in a density": (
        lambda: beam(kinetic=rt.integral(ddt(w, 2) ** 2, s)),
        r"`kinetic` contains `w_tt`. Expected derivatives in time up to order 1",
    ),
    "a rate in a potential density": (
        lambda: beam(potential=rt.integral(ddt(w) ** 2, s)),
        r"`potential` contains the velocity `w_t`",
    ),
    "a natural condition among the constraints": (
        lambda: beam(constraints=[*CLAMPED, rt.at(rt.diff(w, s, 2), s, L)]),
        r"`constraints` contains `w_ss\(L\)`.*follow from the energies and are left out",
    ),
    "a field held everywhere": (
        lambda: beam(constraints=[w]),
        r"`constraints` contains `w`.*Hold it at an end with at\(w, s, 0\)",
    ),
    "a point that is no end": (
        lambda: rt.at(w, s, L / 2),
        r"`L/2` is no end of the space `s`, which goes from 0 to L.*two spaces that meet there",
    ),
    "at without a space": (lambda: rt.at(w, L, 0), r"at\(expression, s, end\) needs a space"),
    "an integral over a number": (lambda: rt.integral(w, 1), r"integrates over a space.*Got 1"),
    "a field of another space in a density": (
        lambda: rt.integral(w * v, s),
        r"A density over `s` contains `v`, which varies along `z`",
    ),
    "a slope by SymPy": (lambda: w.diff(s), r"written diff\(w, s\) with routh.diff"),
    "a derivative of SymPy": (
        lambda: beam(potential=rt.integral(sympy.Derivative(w, s) ** 2, s)),
        r"`potential` contains `Derivative\(w, s\)`, a derivative of SymPy. Write ddt\(x\)",
    ),
    "an integral over a part": (
        lambda: beam(potential=BENT + sympy.Integral(w, (s, 0, L / 2))),
        r"`potential` contains `Integral\(w, \(s, 0, L/2\)\)`. Expected integral\(density, s\)",
    ),
    "a running integral alone": (
        lambda: beam(potential=BENT + rt.integral(w, s, upto=s)),
        r"contains the running integral .* outside a density",
    ),
    "another space in a density": (
        lambda: rt.integral(w * other, s),
        r"A density over `s` contains `z`, which varies along `z`",
    ),
    "the end of another space": (
        lambda: rt.at(w, other, 0),
        r"at\(..., z, 0\) contains `w`, which varies along `s`, not along `z`",
    ),
    "a space named like time": (lambda: rt.space("t", 0, 1), r"must not be `t`, which is time"),
    "an infinite bound": (lambda: rt.space("s", 0, float("inf")), r"must be a number or an expression"),
    "a field named like a slope": (
        lambda: rt.System(
            kinetic=LIVELY + rt.integral(ddt(rt.field("w_s", s)) ** 2, s), potential=BENT
        ),
        r"The field `w_s` has the name of a derivative of `w`",
    ),
    "a length of zero": (
        lambda: rt.equilibrium(slender(), NUMBERS | {"L": 0}),
        r"The space `s` from 0 to L must have a length above zero. Got 0",
    ),
    "functions that depend on each other": (
        lambda: slender([s**2 / L**2, 2 * s**2 / L**2]),
        r"The functions given for `w` are not independent",
    ),
    "functions that no sum fits": (
        lambda: slender([s / L]),
        r"No sum of the functions given for `w` satisfies `w\(0\)` and `w_s\(0\)` = 0",
    ),
    "a load on what nothing supports": (
        lambda: rt.equilibrium(
            rt.discretize(beam(constraints=CLAMPED[:1], forces={w: 1}), {w: 4}), NUMBERS
        ),
        r"a motion of `w` has no stiffness, and a force acts along it",
    ),
    "an input that is not declared": (
        lambda: rt.linear_equations(beam(), {w: F * s**2}),
        r"The reference of `w` contains `F`",
    ),
    "a slope along another space": (
        lambda: rt.diff(w, other),
        r"differentiates fields over `z`. Got `w`, which lives on `s`",
    ),
    "a running integral up to another space": (
        lambda: rt.integral(w, s, upto=other),
        r"is written with upto=s. Got upto=z",
    ),
    "contradictory conditions": (
        lambda: rt.discretize(beam(constraints=[*CLAMPED, rt.at(w, s, 0) - 1]), {w: 4}),
        r"The constraint `w\(0\) - 1` contradicts the others: with them it reads -1 = 0",
    ),
    "a slope held that costs nothing": (
        lambda: rt.discretize(
            rt.System(
                kinetic=LIVELY,
                potential=rt.integral(rt.diff(w, s) ** 2, s),
                constraints=[rt.at(rt.diff(w, s), s, 0)],
            ),
            {w: 4},
        ),
        r"`constraints` contains `w_s\(0\)`, but the energies contain no derivative of `w`.*order 2",
    ),
    "too few functions": (lambda: slender(1), r"The size of `w` must be 2 at least.*Got 1"),
    "a size of text": (lambda: slender("many"), r"must be a number of polynomials.*Got 'many'"),
    "no elements": (lambda: slender(rt.Elements(0)), r"needs one element at least. Got 0"),
    "nodes that do not rise": (
        lambda: slender(rt.Elements((0, 0.6, 0.5, 1))),
        r"rising from 0 to 1. Got \(0, 0.6, 0.5, 1\)",
    ),
    "a function with another parameter": (
        lambda: slender([sin(rt.parameter("b") * s)]),
        r"depends on `b`. Expected a function of the share of the space alone",
    ),
    "a field without a size": (lambda: rt.discretize(beam(), {}), r"`sizes` lacks `w`. Got: nothing"),
    "a size for no field": (
        lambda: rt.discretize(beam(), {"u": 3, w: 3}),
        r"`sizes` has `u`, which is no field of the system. Fields: w",
    ),
    "coordinates discretized": (
        lambda: rt.discretize(oscillator(), {}),
        r"discretize works on a system with fields",
    ),
    "discretized twice": (
        lambda: rt.discretize(slender(), {w: 4}),
        r"are made of coordinates already. Discretize system.continuous",
    ),
    "numbers of a field": (
        lambda: rt.equilibrium(beam(), NUMBERS),
        r"equilibrium computes with coordinates.*equilibrium\(discretize\(system, \{w: 12\}\), ...\)",
    ),
    "equations of what is discretized": (
        lambda: rt.equations(slender()),
        r"equations writes equations out.*equations\(system.continuous\)",
    ),
    "a reference that lacks a field": (
        lambda: rt.linear_equations(beam(), {}),
        r"`about` lacks `w`. Got: nothing. Give each coordinate and field a reference",
    ),
    "a reference in another space": (
        lambda: rt.linear_equations(beam(), {w: other}),
        r"The reference of `w` contains `z`. Expected an expression in parameters, inputs and t, and s",
    ),
    "a place outside the space": (
        lambda: rt.equilibrium(slender(), NUMBERS).field(w, [0, 2]),
        r"Places along `s` must lie between 0 and 1. Got 2",
    ),
    "a field of another system": (
        lambda: rt.equilibrium(slender(), NUMBERS).field(v, [0]),
        r"Expected a field of the system or a derivative of one: w. Got `v`",
    ),
    "an inner field read as a number": (
        lambda: rt.equilibrium(slender(), NUMBERS)[w],
        r"varies along `s`. Take its value at an end with at\(..., s, L\)",
    ),
    "a guess that violates a condition": (
        lambda: rt.equilibrium(slender(), NUMBERS, guess={w: 1 + s}),
        r"The shape `s \+ 1` of `w` does not satisfy its conditions at the ends",
    ),
    "a guess in a coordinate": (
        lambda: rt.equilibrium(slender(), NUMBERS, guess={w: x}),
        r"The shape `x` of `w` contains `x`",
    ),
    "too few points": (
        lambda: rt.equilibrium(
            rt.discretize(
                beam(potential=[BENT, rt.integral(10 * cos(40 * w - 20 * s), s)]), {w: 6}, points=4
            ),
            NUMBERS,
            guess={w: 0.1 * s**2},
        ),
        r"too few points: twice as many change its equations by.*points=",
    ),
    "an accuracy for coordinates": (
        lambda: rt.modes(rt.linearize(rt.equilibrium(oscillator(), {"m": 1, "k": 1})), converged=1e-8),
        r"`converged` asks for more functions",
    ),
    "a count of zero": (
        lambda: rt.modes(rt.linearize(rt.equilibrium(slender(), NUMBERS)), count=0),
        r"`count` is how many modes to give, one at least. Got 0",
    ),
    "a proof for sums over points": (
        lambda: rt.stability(rt.linearize(rt.equilibrium(slender(), NUMBERS)), proven=True),
        r"No proof: .* is discretized",
    ),
    "a body of a number": (lambda: rt.energies.string(3, 1, 1), r"A body is described by a field"),
}


@pytest.mark.parametrize("mistake", FIELDS)
def test_mistakes_with_fields(mistake):
    call, sentence = FIELDS[mistake]
    with pytest.raises(rt.RouthError, match=sentence):
        call()
