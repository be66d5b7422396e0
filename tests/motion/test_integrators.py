"""A method is a class and a row: what it says of itself is asked wherever methods differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import sympy

import routh as rt
from routh import ddt
from routh.analysis.motion.integrators.methods import METHODS
from routh.analysis.motion.integrators.one_step import RADAU, RungeKutta
from routh.errors import Status
from routh.language.symbols import t

TIMES = np.linspace(0, 3, 31)


@dataclass(frozen=True)
class RK4:
    """The classical method of order 4, in so many equal steps from one output to the next."""

    steps: int = 20
    name: str = "RK4"
    nature: str = "takes equal steps"
    stiff: None = None
    takes_events: bool = False
    takes_projection: bool = False
    takes_functions: bool = True
    takes_momenta: bool = True
    equal_steps: bool = True

    def refuse(self, system, times, events, options):
        """Nothing but what its attributes tell."""

    def go(self, passage):
        flow, outputs = passage.flow, passage.outputs
        while outputs.waiting:
            h = (outputs.next - outputs.now) / self.steps
            x = outputs.latest
            for now in outputs.now + h * np.arange(self.steps):
                a = flow.rate(now, x)
                b = flow.rate(now + h / 2, x + h / 2 * a)
                c = flow.rate(now + h / 2, x + h / 2 * b)
                d = flow.rate(now + h, x + h * c)
                x = x + h / 6 * (a + 2 * b + 2 * c + d)
            if not np.isfinite(x).all():
                passage.run.status, passage.run.stuck = Status.STUCK, (outputs.now, outputs.latest)
                return
            outputs.put(x)
            passage.run.steps += self.steps
            flow.sample(outputs.now, x)
            passage.tick(outputs.now)


@pytest.fixture
def rk4(monkeypatch):
    monkeypatch.setitem(METHODS, "RK4", RK4())


@pytest.fixture
def rk45(monkeypatch):
    monkeypatch.setitem(METHODS, "RK45", RungeKutta("RK45", stiff=RADAU, implicit=False))


def pendulum(**more):
    a = rt.coordinate("a")
    return rt.System(kinetic=ddt(a) ** 2 / 2, potential=1 - sympy.cos(a), **more)


def on_a_circle():
    x, y = rt.coordinates("x y")
    kinetic = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    return rt.System(kinetic=kinetic, potential=y, constraints=[x**2 + y**2 - 1])


def test_a_new_method_moves_a_pendulum(rk4):
    exact = rt.simulate(pendulum(), {}, {"a": 2.0}, TIMES, method="DOP853", rtol=1e-12)
    motion = rt.simulate(pendulum(), {}, {"a": 2.0}, TIMES, method="RK4")
    assert motion.completed
    assert motion.q == pytest.approx(exact.q, abs=1e-8)
    assert (motion.statistics.methods, motion.statistics.steps) == (("RK4",), 600)
    assert motion.statistics.evaluations == 2400


def test_it_has_its_order(monkeypatch):
    exact = rt.simulate(pendulum(), {}, {"a": 2.0}, TIMES, method="DOP853", rtol=1e-13)
    off = []
    for steps in (1, 2, 4):
        monkeypatch.setitem(METHODS, "RK4", RK4(steps))
        motion = rt.simulate(pendulum(), {}, {"a": 2.0}, TIMES, method="RK4", rtol=1e-3)
        off.append(np.abs(motion.q - exact.q).max())
    assert np.log2(off[0] / off[1]) == pytest.approx(4, abs=0.3)
    assert np.log2(off[1] / off[2]) == pytest.approx(4, abs=0.3)


def test_it_moves_by_momenta_and_takes_functions_and_jumps(rk4):
    motion = rt.simulate(pendulum(), {}, {"a": 2.0}, TIMES, method="RK4")
    by_momenta = rt.simulate(pendulum(), {}, {"a": 2.0}, TIMES, method="RK4", form="hamilton")
    assert by_momenta.q == pytest.approx(motion.q, abs=1e-8)
    x, u = rt.coordinate("x"), rt.input("u")
    pushed = rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: u})
    smooth = rt.simulate(pushed, {}, {}, TIMES, inputs={u: lambda now: 2.0}, method="RK4")
    assert smooth.q[:, 0] == pytest.approx(TIMES**2, abs=1e-12)
    law = sympy.Heaviside(t - sympy.Float(1.234))
    jumped = rt.simulate(pushed, {}, {}, TIMES, inputs={u: law}, method="RK4")
    assert jumped.q[-1, 0] == pytest.approx((3 - 1.234) ** 2 / 2, rel=1e-12)


def test_what_it_does_not_take_is_refused_in_words(rk4):
    a = rt.coordinate("a")
    system = rt.System(kinetic=ddt(a) ** 2 / 2, potential=1 - sympy.cos(a))
    said = 'method="RK4" takes equal steps, and cannot take events. Use method="DOP853"'
    with pytest.raises(rt.DeclarationError, match=said):
        rt.simulate(system, {}, {a: 2.0}, TIMES, method="RK4", events=rt.event(a))
    said = 'method="RK4" takes equal steps, and cannot take stabilize="projection"'
    with pytest.raises(rt.DeclarationError, match=said):
        rt.simulate(on_a_circle(), {}, {"x": 1.0}, TIMES, method="RK4")
    rubbing = rt.System(kinetic=ddt(a) ** 2 / 2, friction=[rt.friction(ddt(a), static=1.0)])
    with pytest.raises(rt.DeclarationError, match='stick and slip, which method="RK4" cannot'):
        rt.simulate(rubbing, {}, {a: 2.0}, TIMES, method="RK4")
    motion = rt.simulate(system, {}, {a: 2.0}, TIMES, method="RK4")
    with pytest.raises(rt.DeclarationError, match="A RK4 run has equal steps"):
        motion([0.5, 1.5])


def test_it_is_named_among_the_others(rk4):
    said = "must be one of auto, Adams, BDF, DOP853, Radau, modal, variational, RK4. .* Did you mean `RK4`?"
    with pytest.raises(rt.DeclarationError, match=said):
        rt.simulate(pendulum(), {}, {}, TIMES, method="RK5")


def test_a_method_of_scipy_is_one_row(rk45):
    exact = rt.simulate(pendulum(), {}, {"a": 2.0}, TIMES, method="DOP853", rtol=1e-12)
    motion = rt.simulate(pendulum(), {}, {"a": 2.0}, TIMES, method="RK45")
    assert motion.q == pytest.approx(exact.q, abs=1e-6)
    other = np.array([0.123, 1.7])
    assert motion(other).q == pytest.approx(exact(other).q, abs=1e-6)
    assert rt.simulate(on_a_circle(), {}, {"x": 1.0}, TIMES, method="RK45").constraint_error < 1e-9


METHOD_NAMES = ("Adams", "BDF", "DOP853", "Radau", "modal", "variational")


def test_all_methods_are_looked_at_here():
    assert tuple(METHODS) == METHOD_NAMES
    assert all(name == method.name for name, method in METHODS.items())


@pytest.mark.parametrize("name", METHOD_NAMES)
def test_methods_take_what_they_say(name):
    method = METHODS[name]
    a, u = rt.coordinate("a"), rt.input("u")
    system = rt.System(kinetic=ddt(a) ** 2 / 2, potential=1 - sympy.cos(a))
    pushed = rt.System(kinetic=ddt(a) ** 2 / 2, forces={a: u})
    for taken, call in (
        (method.takes_events, lambda: rt.simulate(
            system, {}, {a: 1.0}, TIMES, method=name, events=rt.event(a)).events),
        (method.takes_projection, lambda: rt.simulate(
            on_a_circle(), {}, {"x": 1.0}, TIMES, method=name).completed),
        (method.takes_functions, lambda: rt.simulate(
            pushed, {}, {}, TIMES, method=name, inputs={u: lambda now: 1.0}).completed),
        (method.takes_momenta, lambda: rt.simulate(
            system, {}, {a: 1.0}, TIMES, method=name, form="hamilton").completed),
        (not method.equal_steps, lambda: rt.simulate(
            system, {}, {a: 1.0}, TIMES, method=name)([0.5]).completed),
    ):  # fmt: skip
        if taken:
            assert call()
        else:
            with pytest.raises((rt.DeclarationError, rt.DerivationError), match=name):
                call()
