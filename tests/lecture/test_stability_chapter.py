"""The chapters on linear models, modes and verdicts in numbers."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import sympy

import problems
import routh as rt
from routh.analysis.stability.verdict import Reason
from routh.lecture.derive import derive
from routh.lecture.linearized.stability_chapter import polynomial
from routh.lecture.linearized.theorems import theorem
from routh.mechanics.forms.chapter import Table


def linear_of(problem, **guess):
    return rt.linearize(rt.equilibrium(problem.system, problem.values, guess=guess))


CASES = {
    "table": lambda: linear_of(problems.rotating_table()),
    "column": lambda: linear_of(problems.ziegler(True)),
    "hill": lambda: linear_of(problems.gyroscopic_top_of_a_hill()),
    "rotor": lambda: linear_of(problems.overhung_rotor()),
}


@pytest.mark.parametrize("name", CASES)
def test_polynomial_has_the_eigenvalues_as_roots(name):
    linear = CASES[name]()
    for s in rt.modes(linear).eigenvalues:
        terms = [complex(c) * s ** (k) for k, c in enumerate(reversed(polynomial(linear)))]
        assert abs(sum(terms)) < 1e-9 * sum(map(abs, terms))


def test_a6_is_told_from_matrices_to_verdict():
    chapter = derive(rt.modes(CASES["table"]()))
    titles = [section.title for section in chapter]
    assert titles == [
        "Matrices", "Characteristic polynomial", "Routh's array", "Eigenvalues", "Verdict"
    ]  # fmt: skip
    _, written = chapter["Characteristic polynomial"].formulas
    assert str(written) == "s**4 + 0.5*s**3 + 58*s**2 + 13*s + 416 = 0"
    assert "no root has positive real part" in str(chapter["Routh's array"].steps[-1])
    (table,) = (step for step in chapter["Eigenvalues"].steps if isinstance(step, Table))
    assert str(table.rows[0][1]) == "-0.106958 ± 2.89577i"
    assert "So it is asymptotically stable." in chapter["Verdict"].steps


def test_numbers_of_the_terms_are_those_of_the_model():
    linear = CASES["column"]()
    chapter = derive(linear)
    texts = [str(f) for f in chapter["Stiffness and circulatory forces"].formulas]
    assert texts[-3] == "K + H = [1.9, -0.9]\n        [ -1,    1]"
    assert texts[-1] == "H = [    0, 0.05]\n    [-0.05,    0]"
    rows = [str(f) for f in chapter["Equations of small motions"].formulas]
    assert rows[1] == "phi1'' + phi2'' - 1e-05*phi1' + 1e-05*phi2' - phi1 + phi2 = 0"


def test_a5_in_numbers_has_the_right_stiffness():
    p = problems.accelerated_pendulum()
    linear = linear_of(p, theta=0.3)
    texts = [str(f) for f in derive(linear)["Stiffness and circulatory forces"].formulas]
    rate = p.values["m"] * p.values["l"] * p.values["A"] * np.sin(0.296778873080397)
    assert f"dF/dt = [{rate:.6g}]" in texts
    assert texts[-1] == f"K = [{linear.K[0, 0]:.6g}]"


def test_constraints_are_told_with_the_basis():
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=rt.ddt(x) ** 2 + rt.ddt(y) ** 2,
        potential=2 * 9.81 * y,
        constraints=[(x**2 + y**2 - 1) / 2],
    )
    linear = rt.linearize(rt.equilibrium(system, {}, guess={"y": -1.2}))
    chapter = derive(linear)
    assert "Z = [1]\n    [0]" in [str(f) for f in chapter["Constraints"].formulas]
    assert "2*eta1'' + 19.62*eta1 = 0" in str(chapter["Equations of small motions"].steps[-1])


def test_steady_motion_keeps_its_speed_as_a_letter():
    p = problems.spherical_pendulum()
    rest = rt.equilibrium(p.system, p.values, guess={"theta": 0.8}, speeds={"phi": 4.0})
    chapter = derive(rt.linearize(rest))
    assert "phi' = 4" in [str(f) for f in chapter["Reference"].formulas]
    assert "phi'" in str(chapter["Damping and gyroscopic forces"].formulas[1])
    assert r"\dot{\phi} = 4" in chapter.latex()


def test_batches_tell_of_their_first_point():
    p = problems.crane_trolley()
    linear = rt.linearize(rt.equilibrium(p.system, {**p.values, "l": [1.0, 2.0]}))
    for result in (linear, rt.modes(linear), rt.stability(linear)):
        chapter = derive(result)
        assert "Of the 2 points of the batch this is the first" in str(chapter)
    assert "± 3.70594i" in str(derive(rt.modes(linear)))
    assert "3.70594i" in str(derive(rt.stability(linear))["Eigenvalues"].formulas[0])


def test_every_verdict_that_rests_on_a_theorem_has_it():
    without = {
        Reason.STEADY_DECAY, Reason.STEADY_OSCILLATION, Reason.HELD, Reason.BLURRED,
        Reason.HELD_YET_GROWING, Reason.FALLING_YET_HELD, Reason.SINGULAR, Reason.NO_MODEL, Reason.NO_SLOPE,
        Reason.UNRESOLVED, Reason.UNKNOWN,
    }  # fmt: skip
    assert {reason for reason in Reason if not theorem(reason)} == without


def test_unstable_column_has_two_changes_of_sign():
    p = problems.ziegler(True)
    values = {**p.values, "P": 2.0, "d": 0.1}
    chapter = derive(rt.modes(rt.linearize(rt.equilibrium(p.system, values))))
    assert "2 roots have positive real part" in str(chapter["Routh's array"].steps[-1])
    assert "So it is unstable." in chapter["Verdict"].steps


def test_polynomial_is_exact_for_the_matrices_as_they_are():
    linear = CASES["hill"]()
    found = polynomial(linear)
    assert found[1] == found[3] == 0
    assert found[2] == sympy.Rational(17, 4)  # g^2 - k1 - k2 with g = 5/2


def test_constraints_on_velocities_stay_beside_the_equations():
    x, y, phi = rt.coordinates("x y phi")
    system = rt.System(
        kinetic=(rt.ddt(x) ** 2 + rt.ddt(y) ** 2 + rt.ddt(phi) ** 2) / 2,
        potential=2 * phi**2,
        constraints=[rt.sin(phi) * rt.ddt(x) - rt.cos(phi) * rt.ddt(y)],
    )
    linear = rt.linearize(rt.equilibrium(system, {}))
    chapter = derive(linear)
    assert "J Z = 0" not in str(chapter)
    assert [str(f) for f in chapter["Constraints"].formulas][-1] == "R = [0, -1, 0]"
    rows = [str(f) for f in chapter["Equations of small motions"].formulas]
    assert rows == ["x'' = 0", "y'' - mu1 = 0", "phi'' + 4*phi = 0", "-y' = 0"]
    assert "Characteristic polynomial" not in str(derive(rt.modes(linear)))


def test_large_models_are_told_in_a_sentence():
    p = problems.pendulum_chain(14)
    linear = rt.linearize(rt.equilibrium(p.system, p.values))
    assert "14 degrees of freedom" in str(derive(linear))
    assert [section.title for section in derive(rt.modes(linear))] == ["Eigenvalues", "Verdict"]


def test_a_verdict_begins_with_the_linear_model_that_was_judged():
    linear = CASES["table"]()
    chapter = derive(rt.stability(linear))
    titles = [section.title for section in chapter if section.title != "Letters"]
    assert titles == [
        "Linear model", "Characteristic polynomial", "Routh's array", "Eigenvalues", "Verdict"
    ]  # fmt: skip
    shown = "\n".join(str(f) for f in chapter["Linear model"].formulas)
    for letter in "MDGK":
        assert f"\n{letter} = [" in shown
    assert "\nH = [" not in shown
    assert chapter.title.endswith(": stability")


def test_a_steady_motion_is_told_without_what_turns():
    p = problems.spherical_pendulum()
    rest = rt.equilibrium(p.system, p.values, guess={"theta": 0.8}, speeds={"phi": 4.0})
    linear = rt.linearize(rest)
    chapter = derive(rt.stability(linear))
    reduced = linear.at_constant_momenta
    assert "by Routh's reduction" in str(chapter["Linear model"])
    assert f"K = [{reduced.K[0, 0]:.6g}]" in [str(f) for f in chapter["Linear model"].formulas]
    _, polynomial_ = chapter["Characteristic polynomial"].formulas
    square = reduced.K[0, 0] / reduced.M[0, 0]
    assert str(polynomial_) == f"s**2 + {square:.6g} = 0"


def test_the_potential_of_an_accelerated_base_and_of_forces_is_an_effective_one():
    leaning = rt.stability(linear_of(problems.accelerated_pendulum(), theta=0.3))
    assert leaning.potential == "effective potential (V - T0 and what prescribed motion adds to it)"
    assert str(leaning).startswith("stable. The effective potential (V - T0 and what prescribed")
    # V - T0 has no minimum there: its slope is not zero
    theta, (m, g, l) = rt.coordinate("theta"), rt.parameters("m g l")
    F = rt.parameter("F")
    pushed = rt.System(
        kinetic=m * l**2 * rt.ddt(theta) ** 2 / 2,
        potential=-m * g * l * rt.cos(theta),
        forces={theta: F * l * rt.cos(theta)},
    )
    values = {"m": 2, "g": 9.81, "l": 1.5, "F": [0.0, 4.0]}
    found = rt.stability(rt.linearize(rt.equilibrium(pushed, values)))
    assert "and what forces add to it" in found.sentence[1]
    for problem in (problems.rotating_spring_mass(), problems.rotating_table()):
        steady = rt.stability(linear_of(problem))
        assert steady.potential == "dynamic potential"


def test_rows_have_no_terms_of_rounding():
    linear = CASES["table"]()
    noisy = dataclasses.replace(linear, M=linear.M + 1e-17)
    rows = [str(f) for f in derive(noisy)["Equations of small motions"].formulas]
    assert rows == [str(f) for f in derive(linear)["Equations of small motions"].formulas]
