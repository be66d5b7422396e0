"""Motion in modal coordinates: against other methods, exact solutions, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import routh as rt
from routh import at, ddt, diff, integral, norm2, rotation, vector
from routh.analysis.motion.integrators import modal
from routh.kernels.native import choice
from routh.kernels.native.compiler import compiler
from routh.numerics.exponential.collocation import Collocation
from routh.numerics.steppers import StuckError

needs_compiler = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")

VALUES = {"L": 1.5, "R": 0.3, "J": 0.5, "rho": 1.2, "EI": 4}
TIMES = np.linspace(0, 1, 21)


def hub(count, **more):
    """A hub with a flexible arm."""
    L, R, J, rho, EI = rt.parameters("L R J rho EI")
    theta, u = rt.coordinate("theta"), rt.input("u")
    s = rt.space("s", 0, L)
    w = rt.field("w", s)
    r = rotation(theta) @ vector(R + s, w)
    arm = rt.System(
        kinetic=J / 2 * ddt(theta) ** 2 + integral(rho / 2 * norm2(ddt(r)), s),
        potential=integral(EI / 2 * diff(w, s, 2) ** 2, s),
        forces={theta: u},
        constraints=[at(w, s, 0), at(diff(w, s), s, 0)],
        **more,
    )
    return rt.discretize(arm, {w: count})


@pytest.fixture(scope="module")
def arm():
    return hub(4)


def moved(arm, method, start=None, u=0.0, **options):
    start = {"w_1": 0.1, "theta'": 1.5} if start is None else start
    return rt.simulate(
        arm, VALUES, start, TIMES, inputs={"u": u}, method=method, progress=False, **options
    )


@pytest.mark.parametrize("u", [0.0, 0.4 * rt.sin(3 * rt.t)], ids=["free", "driven"])
def test_it_agrees_with_other_methods_at_a_tight_tolerance(arm, u):
    exact = moved(arm, "DOP853", u=u, rtol=1e-12)
    motion = moved(arm, "modal", u=u, rtol=1e-9)
    assert motion.completed
    assert motion.statistics.methods == ("modal",)
    scale = np.abs(exact.q).max(axis=0), np.abs(exact.v).max(axis=0)
    assert (np.abs(motion.q - exact.q) / scale[0]).max() < 1e-7
    assert (np.abs(motion.v - exact.v) / scale[1]).max() < 1e-7
    assert motion.work == pytest.approx(exact.work, abs=1e-9)
    assert motion.energy_error < 1e-8


@needs_compiler
@pytest.mark.parametrize("u", [0.4 * rt.sin(3 * rt.t), lambda t: 0.4 * np.sin(3 * t)])
def test_compiled_steps_are_the_same_to_rounding(arm, u):
    compiled, plain = (moved(arm, "modal", u=u, rtol=1e-9, engine=name) for name in ("c", "casadi"))
    assert (compiled.engine, plain.engine) == ("c", "casadi")
    assert compiled.statistics.steps == plain.statistics.steps
    assert compiled.statistics.evaluations == plain.statistics.evaluations
    assert compiled.q == pytest.approx(plain.q, abs=1e-11)
    assert compiled.v == pytest.approx(plain.v, abs=1e-9)
    dense = compiled(np.union1d(TIMES, [0.123]))
    assert np.array_equal(dense.q[np.isin(dense.t, TIMES)], compiled.q)


@needs_compiler
def test_a_long_run_changes_over_to_compiled_steps_where_that_pays(arm, monkeypatch):
    assert moved(arm, "modal", rtol=1e-9).engine == "casadi"
    monkeypatch.setattr(choice, "START", 3e6)
    motion = moved(arm, "modal", rtol=1e-9)
    plain = moved(arm, "modal", rtol=1e-9, engine="casadi")
    assert motion.engine == "c"
    assert np.array_equal(motion.q[1], plain.q[1])
    assert not np.array_equal(motion.q[-1], plain.q[-1])
    assert motion.q == pytest.approx(plain.q, abs=1e-11)
    dense = motion(np.union1d(TIMES, [0.123]))
    assert np.array_equal(dense.q[np.isin(dense.t, TIMES)], motion.q)


def test_without_a_compiler_it_is_refused_in_words(monkeypatch):
    own = hub(3)
    monkeypatch.setenv("PATH", "")
    if compiler() is not None:
        pytest.skip("a compiler that is not on the path")
    with pytest.raises(rt.DerivationError, match="needs a compiler of C"):
        moved(own, "modal", rtol=1e-9, engine="c")


def test_where_its_steps_do_not_settle_another_method_goes_on(arm, monkeypatch):
    monkeypatch.setattr(modal, "TURNS", 100.0)  # its quickest mode turns by 230 radians
    theta, *_ = arm.coordinates
    passed = [rt.event(theta - 0.3), rt.event(theta - 0.7)]
    plain = Collocation.advance

    def stuck(self):
        if self.t > 0.4:
            raise StuckError("the steps became too small")
        plain(self)

    monkeypatch.setattr(Collocation, "advance", stuck)
    start = {"w_1": 0.01, "theta'": 1.5}
    motion = moved(arm, "auto", start=start, rtol=1e-8, events=passed)
    assert motion.completed
    assert motion.statistics.methods == ("modal", "DOP853")
    exact = moved(arm, "DOP853", start=start, rtol=1e-11, events=passed)
    assert motion.q == pytest.approx(exact.q, abs=1e-7)
    assert [each.t for each in motion.events] == pytest.approx([e.t for e in exact.events], abs=1e-7)
    dense = motion(np.union1d(TIMES, [0.43]))
    assert np.array_equal(dense.q[np.isin(dense.t, TIMES)], motion.q)
    asked = moved(arm, "modal", start=start, rtol=1e-8)
    assert not asked.completed  # a method that was asked for stays


def test_it_takes_far_fewer_steps_and_evaluations(arm):
    adams, modal = (moved(arm, name, rtol=1e-9).statistics for name in ("Adams", "modal"))
    assert modal.steps < adams.steps / 20
    assert modal.evaluations < adams.evaluations / 3


def test_a_linear_beam_moves_as_its_modes_do():
    L, rho, EI = rt.parameters("L rho EI")
    s = rt.space("s", 0, L)
    w = rt.field("w", s)
    T, V = rt.energies.euler_bernoulli(w, rho, EI)
    beam = rt.System(kinetic=T, potential=V, constraints=[at(w, s, 0), at(diff(w, s), s, 0)])
    few = rt.discretize(beam, {w: 6})
    values = {"L": 1.0, "rho": 1.0, "EI": 1.0}
    modes = rt.modes(rt.linearize(rt.equilibrium(few, values)))
    start = modes.shapes @ np.array([1.0, -0.3, 0.2, 0, 0, 0.05])
    motion = rt.simulate(
        few, values, {f"w_{k + 1}": x for k, x in enumerate(start.real)}, TIMES, method="modal"
    )
    amplitudes = np.array([1.0, -0.3, 0.2, 0, 0, 0.05]) * np.cos(TIMES[:, None] * modes.frequencies)
    exact = (amplitudes @ modes.shapes.T).real
    np.testing.assert_allclose(motion.q, exact, atol=2e-11 * np.abs(exact).max())
    assert motion.statistics.steps <= 64


def test_fields_that_ring_choose_it_by_themselves(arm):
    ringing = hub(8)  # its quickest mode has 2104 rad/s, that of four functions 230
    chosen = moved(ringing, "auto", start={"w_1": 0.01}, rtol=1e-6)
    assert chosen.statistics.methods == ("modal",)
    assert chosen.energy_error < 1e-5
    assert moved(arm, "auto", rtol=1e-9).statistics.methods == ("Adams",)


def test_the_motion_at_other_times_is_the_same_bit_by_bit(arm):
    motion = moved(arm, "modal", rtol=1e-9)
    dense = motion(np.union1d(TIMES, np.linspace(0, 1, 57)))
    rows = np.isin(dense.t, TIMES)
    assert np.array_equal(dense.q[rows], motion.q)
    assert np.array_equal(dense.v[rows], motion.v)
    assert np.array_equal(motion([0.5]).q[0], motion(np.array([0.2, 0.5])).q[1])


def test_events_happen_where_they_do_by_other_methods(arm):
    theta, *_ = arm.coordinates
    passed = rt.event(theta - 0.7)
    found = [
        moved(arm, name, rtol=rtol, events=[passed]).events
        for name, rtol in (("modal", 1e-9), ("DOP853", 1e-12))
    ]
    assert len(found[0]) == len(found[1]) > 0
    for ours, theirs in zip(*found, strict=True):
        assert ours.t == pytest.approx(theirs.t, abs=1e-8)


def test_python_functions_and_jumps_in_time_are_taken(arm):
    law = rt.sin(3 * rt.t)
    by_law, by_function = (
        moved(arm, "modal", start={}, u=u, rtol=1e-9) for u in (law, lambda now: np.sin(3 * now))
    )
    assert by_function.q == pytest.approx(by_law.q, abs=1e-9)
    pushed = moved(arm, "modal", start={}, u=sympy.Heaviside(rt.t - 0.333), rtol=1e-9)
    exact = moved(arm, "DOP853", start={}, u=sympy.Heaviside(rt.t - 0.333), rtol=1e-12)
    assert pushed.q == pytest.approx(exact.q, abs=1e-9)


def test_constraints_and_momenta_are_refused_in_words(arm):
    x, y = rt.coordinates("x y")
    held = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=y, constraints=[x**2 + y**2 - 1]
    )
    for stabilize in ("projection", (1.0, 1.0), None):
        with pytest.raises(rt.DeclarationError, match=r'method="modal" .* has constraints'):
            rt.simulate(held, {}, {x: 1.0}, TIMES, method="modal", stabilize=stabilize)
    with pytest.raises(rt.DeclarationError, match='without method="modal"'):
        moved(arm, "modal", form="hamilton")


def test_where_equations_end_it_is_stuck():
    x = rt.coordinate("x")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=sympy.log(1 - x))
    motion = rt.simulate(system, {}, {x: 0.5}, [0, 5], method="modal", progress=False)
    other = rt.simulate(system, {}, {x: 0.5}, [0, 5], method="DOP853", progress=False)
    assert not motion.completed
    assert motion.status is other.status
    assert motion.t[-1] == pytest.approx(other.t[-1], rel=1e-6)


def tip(motion):
    return motion.field("w", [1.5])[:, 0]


@pytest.mark.slow
def test_the_tolerance_goes_with_what_functions_leave_out():
    smooth = {"w_1": 0.02, "theta'": 0.5}
    few, more = (moved(arm, "auto", start=smooth, u=0.0) for arm in (hub(8), hub(11)))
    assert few.statistics.methods == more.statistics.methods == ("modal",)
    apart = np.abs(tip(few) - tip(more)).max() / np.abs(tip(more)).max()
    assert apart / 5 < few.basis_error < 5 * apart
    assert few.rtol == pytest.approx(min(1e-3 * few.basis_error, 1e-7))
    assert f"Steps may err by {few.rtol:.1g}" in str(few)
    assert few([0.5]).basis_error == few.basis_error


def test_a_tolerance_that_is_given_stays(arm):
    motion = moved(hub(8), "auto", start={"theta'": 0.5}, rtol=1e-8)
    assert (motion.rtol, motion.basis_error) == (1e-8, None)
    assert "Steps may err" not in str(motion)
    short = moved(arm, "auto", start={"theta'": 0.5})  # modes that do not ring, by Adams
    assert (short.rtol, short.basis_error) == (1e-9, None)


@pytest.mark.parametrize("u", [0.0, 0.4 * rt.sin(3 * rt.t)], ids=["free", "driven"])
def test_a_modal_cut_says_what_it_leaves_out(u):
    arm = hub(6)
    start = {"w_1": 0.02, "theta'": 0.5} if not u else {}
    whole = moved(arm, "modal", start=start, u=u, rtol=1e-9)
    before = np.inf
    for count in (3, 5):
        cut = moved(arm, "auto", start=start, u=u, rtol=1e-9, modes=count)
        assert cut.statistics.methods == ("modal",)
        assert cut.energy_error < 1e-8
        off = np.abs(tip(cut) - tip(whole)).max() / np.abs(tip(whole)).max()
        said = cut.cut_error.sum()
        assert off / 4 < said < 10 * off
        assert said < before
        before = said
    assert "The modes that were cut would add about" in str(cut)
    assert whole.cut_error is None


def test_a_cut_motion_stays_in_its_modes():
    arm = hub(6)
    cut = moved(arm, "auto", start={"w_1": 0.02, "theta'": 0.5}, rtol=1e-9, modes=3)
    assert np.linalg.matrix_rank(cut.v, tol=1e-8 * np.abs(cut.v).max()) == 3
    batch = rt.simulate(
        arm, VALUES | {"EI": np.array([4.0, 5.0])}, {"w_1": 0.02}, TIMES, inputs={"u": 0}, modes=3
    )
    assert batch.cut_error.shape == (2, 2)
    assert batch.basis_error is None


BAD_CUTS = {
    "is the number of the lowest modes": {"modes": 0},
    "like 4. Got 2.5": {"modes": 2.5},
    "less than the number of coordinates, 5": {"modes": 5},
    'cannot take method="Adams"': {"modes": 2, "method": "Adams"},
    "cannot take variations": {"modes": 2, "variations": True},
    "cannot take events that change": {"modes": 2, "events": rt.event("theta", change={"theta'": 0})},
}


@pytest.mark.parametrize("said", BAD_CUTS)
def test_cuts_that_cannot_be_made_are_refused_in_words(arm, said):
    options = {"method": "auto", **BAD_CUTS[said]}
    with pytest.raises(rt.DeclarationError, match=said):
        moved(arm, **options)


def test_friction_refuses_it_in_words():
    x = rt.coordinate("x")
    rubbing = rt.System(kinetic=ddt(x) ** 2 / 2, friction=[rt.friction(ddt(x), static=1.0)])
    for options in ({"method": "modal"}, {"modes": 1}):
        with pytest.raises(rt.DeclarationError, match='which method="modal" cannot'):
            rt.simulate(rubbing, {}, {x: 2.0}, TIMES, **options)
