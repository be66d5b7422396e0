"""Derivatives by time and along a space, however they are written: the rate, or a sentence, never 0."""

from __future__ import annotations

import pytest
import sympy

import routh as rt
from routh import ddt, diff, t
from routh.files.text import TextError, parse
from routh.language.derivation import explicit_rate
from routh.language.walk import unfold

theta, x = rt.coordinates("theta x")
u = rt.input("u")
m = rt.parameter("m")
s = rt.space("s", 0, 2)
w = rt.field("w", s)
sine = rt.let("sine", sympy.sin(theta))
r = rt.vector(theta, x**2)

MOVING = {
    "a coordinate": theta,
    "a velocity": theta.rate,
    "a power": theta**2,
    "an input": u,
    "a product": m * u * theta,
    "an intermediate": sine,
    "a sum with one": 1 + sine**2,
    "pieces": sympy.Max(theta, t) * theta**t,
    "time beside it": sympy.cos(t) * x + t,
}


def along_a_motion(e):
    """The expression as a function of time, theta = sin 2t and so on."""
    motion = {theta: sympy.sin(2 * t) + 2, x: sympy.exp(t / 3), u: t**2 + 1}
    table = {m: sympy.Rational(3, 2)}
    for signal, value in motion.items():
        for k in range(4):
            table[ddt(signal, k)] = sympy.diff(value, t, k)
    return unfold(e).xreplace(table)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("case", MOVING)
def test_diff_by_time_is_the_rate_along_a_motion(case, order):
    found = along_a_motion(diff(MOVING[case], t, order))
    other = sympy.diff(along_a_motion(MOVING[case]), t, order)
    for moment in (0.31, 0.77):
        # 15 digits of the two evaluations, less what second derivatives of powers lose
        assert float(found.subs(t, moment)) == pytest.approx(float(other.subs(t, moment)), rel=1e-11)


def test_diff_by_time_of_vectors_and_integrals():
    assert diff(r, t) == ddt(r)
    assert diff(rt.integral(w**2, s), t) == rt.integral(2 * w * ddt(w), s)
    assert diff(m * sympy.cos(t), t) == -m * sympy.sin(t)


SYMPYS = {
    "diff of a coordinate": lambda: sympy.diff(theta, t),
    "its method": lambda: theta.diff(t),
    "of a velocity": lambda: theta.rate.diff(t),
    "of a power": lambda: (theta**2).diff(t),
    "of an input": lambda: (m * u).diff(t),
    "of an intermediate": lambda: sine.diff(t),
    "of a sum": lambda: (1 + sine).diff(t),
    "twice": lambda: theta.diff(t, 2),
    "with a velocity": lambda: (theta * theta.rate**2).diff(theta.rate, t),
    "the other way round": lambda: (theta * theta.rate**2).diff(t, theta.rate),
    "unevaluated": lambda: sympy.Derivative(theta, t).doit(),
    "of a vector": lambda: r.diff(t),
    "a jacobian": lambda: r.jacobian([t]),
    "of a field": lambda: w.diff(t),
    "of an end": lambda: rt.at(w, s, 2).diff(t),
    "of an integral": lambda: rt.integral(w**2, s).diff(t),
}
ALONG = {
    "of a field": lambda: w.diff(s),
    "of its square": lambda: (w**2).diff(s),
    "of its rate": lambda: w.rate.diff(s),
    "twice": lambda: sympy.diff(s * w, s, 2),
    "with a slope": lambda: (diff(w, s) ** 2).diff(diff(w, s), s),
}


@pytest.mark.parametrize("case", SYMPYS)
def test_sympys_own_diff_by_time_says_what_to_write(case):
    with pytest.raises(rt.DeclarationError, match=r"changes in time.*Write ddt\(\.\.\.\)"):
        SYMPYS[case]()


@pytest.mark.parametrize("case", ALONG)
def test_sympys_own_diff_along_a_space_says_what_to_write(case):
    with pytest.raises(rt.DeclarationError, match=r"varies along `s`.*routh\.diff"):
        ALONG[case]()


def test_what_does_not_move_is_left_to_sympy():
    assert sympy.diff(m * t**2, t) == 2 * m * t
    assert (m * s**3).diff(s) == 3 * m * s**2
    assert rt.at(w, s, 2).diff(s) == 0
    assert (theta**3 * theta.rate).diff(theta, 2) == 6 * theta * theta.rate
    assert (sympy.sin(theta) ** 2 + sympy.cos(theta) ** 2).equals(1)


def test_a_derivative_of_sympy_in_an_energy_is_refused():
    with pytest.raises(rt.DeclarationError, match=r"a derivative of SymPy\. Write ddt"):
        rt.System(kinetic=sympy.Derivative(theta, t) ** 2)


def test_another_t_is_no_time():
    with pytest.raises(rt.DeclarationError, match=r"another symbol than routh\.t"):
        diff(theta, sympy.Symbol("t"))


def test_what_only_seems_to_change_in_time_still_counts_as_constant():
    """Partial derivatives by time are still taken: a turning frame keeps its Jacobi integral."""
    y, Om, k = rt.coordinate("y"), *rt.parameters("Om k")
    place = rt.rotation(Om * t) @ rt.vector(x, y)
    turning = rt.System(kinetic=rt.norm2(ddt(place)) / 2, potential=k * (x**2 + y**2) / 2)
    assert [c.name for c in rt.equations(turning, simplify=0).conserved] == ["Jacobi integral"]
    driven = rt.System(kinetic=x.rate**2 / 2, potential=x**2 * (1 + sympy.cos(t)))
    assert not rt.equations(driven, simplify=0).conserved
    assert sympy.simplify(rt.hamiltonian(driven, simplify=0).drift + x**2 * sympy.sin(t)) == 0


def test_the_partial_derivative_by_time_sees_through_intermediates():
    turn = rt.let("turn", m * t + theta)
    assert explicit_rate(theta * sympy.sin(turn)) == m * theta * sympy.cos(m * t + theta)
    assert explicit_rate(u * theta.rate * x) == 0


NAMES = {"theta": theta, "theta1": x, "phi_2": rt.coordinate("phi_2"), "w": w, "s": s, "m": m}
MEANT = {
    "thetadot": "theta'", "theta_dot": "theta'", "theta_ddot": "theta''", "thetaddot": "theta''",
    "dtheta": "theta'", "dtheta_dt": "theta'", "d2theta": "theta''", "theta1_dot": "theta1'",
    "thetadot1": "theta1'", "phidot_2": "phi_2'", "θdot": "theta'", "θ̇": "theta'", "θ̈": "theta''",
    "w_t": "w'", "w_s": "diff(w, s)", "w_ss": "diff(w, s, 2)", "w_ts": "diff(w', s)",
}  # fmt: skip


@pytest.mark.parametrize("written", MEANT)
def test_rates_as_they_are_spelt_elsewhere_are_recognized_in_text(written):
    with pytest.raises(TextError) as told:
        parse(f"m*{written}^2", NAMES)
    assert told.value.sentence.endswith(f"Did you mean `{MEANT[written]}`?")
    parse(MEANT[written], NAMES)


def test_text_takes_the_derivative_by_time():
    assert parse("diff(theta^2, t)", NAMES) == 2 * theta * theta.rate
    assert parse("diff(w, t)", NAMES) == ddt(w)


def test_a_model_file_with_thetadot_says_what_to_write():
    with pytest.raises(rt.DeclarationError, match=r"Did you mean `theta'`\?"):
        rt.load('[coordinates]\ntheta = {}\n[energy]\nkinetic = "thetadot^2/2"\n')
