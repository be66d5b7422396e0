"""A name may stand wherever a symbol may, once a system says what names mean, with the same result.

The table has for every argument of a public function that takes symbols, and for what is read from
results, a call with the symbols, with their names and with a misspelt name. Results must agree to the
last bit, and a misspelt name must be told with the one that was meant. An argument that is missing from
it, and from the list of those without symbols, fails the test.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import routh as rt
from routh import cos, ddt, sin, t

mpl.use("Agg")
import matplotlib.pyplot as plt

x, y, theta, phi = rt.coordinates("x y theta phi")
k, Omega, theta0 = rt.parameter("k"), rt.parameter("Omega"), rt.parameter("theta0", 0.0)
F = rt.input("F")
half = rt.let("half", x**2 / 2)
ell = rt.parameter("ell", 2.0)
s = rt.space("s", 0, ell)
w = rt.field("w", over=s)


@cache
def spring(**more):
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * half, forces={x: F}, **more)


@cache
def plane():
    """Two coordinates that turn with a table."""
    r = rt.rotation(Omega * t) @ rt.vector(x, y)
    return rt.System(kinetic=rt.norm2(ddt(r)) / 2, potential=k * x**2 + 2 * k * y**2, forces={x: F})


@cache
def turning():
    """A steady motion: phi turns, x is where it is pushed to."""
    T = (ddt(x) ** 2 + (1 + x**2) * ddt(phi) ** 2) / 2
    return rt.System(kinetic=T, potential=k * x**2 + x / 10)


@cache
def hoop():
    T = (ddt(theta) ** 2 + Omega**2 * sin(theta) ** 2) / 2
    return rt.System(kinetic=T, potential=-k * cos(theta))


@cache
def bob():
    return rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=k * y, constraints=[(x**2 + y**2 - 4) / 2]
    )


@cache
def rubbing():
    contact = rt.friction(ddt(x), static=1)
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2, forces={x: F}, friction=contact)


@cache
def shaken():
    T = (ddt(theta) ** 2 - 2 * Omega**2 * cos(Omega * t) * cos(theta) / 10) / 2
    return rt.System(kinetic=T, potential=-k * cos(theta))


@cache
def string():
    T = rt.integral(ddt(w) ** 2 / 2, s)
    return rt.System(
        kinetic=T,
        potential=rt.integral(k * rt.diff(w, s) ** 2 / 2 - w, s),
        constraints=[rt.at(w, s, 0), rt.at(w, s, ell)],
    )


@cache
def strung():
    return rt.discretize(string(), {w: 4})


@cache
def canonical():
    return rt.hamiltonian(turning(), simplify=0)


@cache
def rest():
    return rt.equilibrium(plane(), {"k": 4.0, "Omega": 1.0})


@cache
def sweep():
    return rt.modes(rt.linearize(rt.equilibrium(plane(), {"k": 4.0, "Omega": np.linspace(0, 4, 9)})))


@cache
def swing():
    return rt.periodic_motion(hoop(), {"k": 4.0, "Omega": 0.1}, {theta: 1.0}, 3.2)


@cache
def family():
    return rt.follow(swing(), "amplitude", 1.01)


@cache
def branch():
    return rt.follow(rt.equilibrium(hoop(), {"k": 9.0, "Omega": 1.0}), Omega, 2)


TIMES = np.linspace(0, 1, 6)
V = {"k": 4.0}


def run(system=None, **given):
    ask = {"values": V, "start": {"x": 1.0}, "times": TIMES, "inputs": {"F": 0.0}, "progress": False}
    return rt.simulate(spring() if system is None else system, **(ask | given))


def study(system=None, **given):
    ask = {"values": V, "over": {"F": [1.0, 2.0]}, "find": ["q"], "progress": False}
    found = rt.sweep(spring() if system is None else system, **(ask | given))
    return [found[name].values for name in found.data_vars]


def declared(**given):
    return rt.System(
        **({"kinetic": (ddt(x) ** 2 + ddt(y) ** 2) / 2, "potential": k * x**2 / 2} | given)
    )


def drawn(result, **given):
    axes = rt.plot(result, **given)
    found = [np.stack([np.asarray(a, dtype=float) for a in line.get_data()]) for line in axes.lines]
    labels = [axes.get_xlabel(), axes.get_ylabel()]
    plt.close(axes.figure)
    return [*found, *labels]


def written(kind, values, inputs=None):
    """The text of a model file, of a report, or beside an export, of a spring with values."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        model = rt.load(rt.save(spring(), path / "spring.toml", values=V))
        if kind == "save":
            return rt.save(spring(), path / "given.toml", values=values).read_text("utf-8")
        if kind == "export":
            return rt.export(spring(), path / "a.casadi", values=values, inputs=inputs)[1].read_text(
                "utf-8"
            )
        page = rt.report(model, path / "given.md", values=values).read_text("utf-8")
        return re.sub(r"[\d.e-]+ s\.", "", page)  # how long the motion took


def begun(start):
    """The text of a spring in Modelica that starts so."""
    with tempfile.TemporaryDirectory() as folder:
        return rt.export(spring(), Path(folder, "a.mo"), values=V, start=start)[0].read_text("utf-8")


SKATE = rt.System(
    kinetic=(ddt(x) ** 2 + ddt(y) ** 2 + ddt(theta) ** 2) / 2,
    constraints=[ddt(x) * sin(theta) - ddt(y) * cos(theta)],
)

COENERGY = rt.legendre(k * x**2 / 2, x)

SEEN = ([0.0, 1.0, 2.0, 3.0], [1.0, -0.4, -0.7, 0.97])
"""Times, and what was measured then."""


def swings_of(data=None, **given):
    """A fit of the spring to what was seen of it."""
    ask = {"unknown": {"k": 3.8}, "start": {x: 1.0}, "inputs": {F: 0.0}}
    return rt.fit(spring(), {"t": SEEN[0], "x": SEEN[1]} if data is None else data, **(ask | given))


TABLE = {
    "System.forces": (lambda g: declared(forces=g), {x: F}, {"x": F}, {"xx": F}),
    "System.forces of a field": (lambda g: string().changed(forces=g), {w: k}, {"w": k}, {"ww": k}),
    "System.forces in a list": (lambda g: declared(forces=[g]), {x: F}, {"x": F}, {"xx": F}),
    "System.coordinates": (lambda g: declared(coordinates=g), [y, x], ["y", "x"], ["y", "xx"]),
    "animate.points": (lambda g: rt.animate(run(), points=[g]), (x, 0), ("x", 0), ("xx", 0)),
    "animate.springs": (lambda g: rt.animate(run(), springs=[[(0, 0), g]]), (x, 0), ("x", 0), ("xx", 0)),
    "animate.labels": (lambda g: rt.animate(run(), labels={"m": g}), (x, 0), ("x", 0), ("xx", 0)),
    "animate.bodies": (lambda g: rt.animate(run(), bodies=[{"sphere": 1, "at": g}]), (x, 0, 0), ("x", 0, 0), ("xx", 0, 0)),
    "animate.arrows": (lambda g: rt.animate(run(), arrows=[(g, (0, 0, 1))]), (x, 0, 0), ("x", 0, 0), ("xx", 0, 0)),
    "animate.frames": (lambda g: rt.animate(run(), frames=[(g, 1)]), (x, 0, 0), ("x", 0, 0), ("xx", 0, 0)),
    "animate.lines": (lambda g: rt.animate(run(), lines=[[(0, 0), g]]), (x, half), ("x", "half"), ("x", "hal")),
    "consistent.values": (lambda g: rt.consistent(bob(), g, {y: -1}), {k: 4.0}, {"k": 4.0}, {"kk": 4.0}),
    "consistent.start": (lambda g: rt.consistent(bob(), V, g), {y: -1, ddt(x): 1}, {"y": -1, "x'": 1}, {"yy": 1}),
    "consistent.keep": (lambda g: rt.consistent(bob(), V, {x: 1, y: -1, ddt(y): 1}, keep=g), [x, ddt(y)], ["x", "y'"], ["yy"]),
    "consistent.inputs": (lambda g: rt.consistent(spring(), V, {x: 1}, inputs=g), {F: t}, {"F": "t"}, {"FF": t}),
    "constraint_forces.at": (lambda g: rt.constraint_forces(rt.equilibrium(bob(), V, guess={y: -1}), at=g), (x, y), ("x", "y"), ("x", "yy")),
    "drift.values": (lambda g: rt.drift(bob(), g, {y: -2.0}, [0, 0.1], step=0.05), {k: 4.0}, {"k": 4.0}, {"kk": 4.0}),
    "drift.start": (lambda g: rt.drift(bob(), V, g, [0, 0.1], step=0.05), {y: -2.0, ddt(x): 1}, {"y": -2.0, "x'": 1}, {"yy": 1}),
    "drift.inputs": (lambda g: rt.drift(bob().changed(forces={x: F}), V, {y: -2.0}, [0, 0.1], step=0.05, inputs=g), {F: t}, {"F": "t"}, {"FF": t}),
    "casadi_function.values": (lambda g: str(rt.casadi_function(spring(), values=g)), V, {"k": 4.0}, {"kk": 1.0}),
    "casadi_function.inputs": (lambda g: str(rt.casadi_function(spring(), inputs=g)), {F: 1.0}, {"F": 1.0}, {"FF": 1.0}),
    "export.values": (lambda g: written("export", g), {k: 3.0}, {"k": 3.0}, {"kk": 3.0}),
    "export.start": (begun, {x: 0.5, ddt(x): 2.0}, {"x": 0.5, "x'": 2.0}, {"xx": 0.5}),
    "export.inputs": (lambda g: written("export", V, inputs=g), {F: x}, {"F": "x"}, {"FF": 1.0}),
    "dynamics.values": (lambda g: rt.dynamics(hoop(), g, {theta: 0.3}), {k: 9.0, Omega: 1.0}, {"k": 9.0, "Omega": 1.0}, {"Omeg": 1.0}),
    "dynamics.q": (lambda g: rt.dynamics(spring(), V, g), {x: 1.0}, {"x": 1.0}, {"xx": 1.0}),
    "dynamics.v": (lambda g: rt.dynamics(spring(), V, {x: 1.0}, g), {x: 1.0}, {"x": 1.0}, {"xx": 1.0}),
    "dynamics.forces": (lambda g: rt.dynamics(spring(), V, forces=g), {x: 1.0}, {"x": 1.0}, {"xx": 1.0}),
    "dynamics.inputs": (lambda g: rt.dynamics(spring(), V, inputs=g), {F: 1.0}, {"F": 1.0}, {"FF": 1.0}),
    "inverse_dynamics.values": (lambda g: rt.inverse_dynamics(hoop(), g, {theta: 0.3}), {k: 9.0, Omega: 1.0}, {"k": 9.0, "Omega": 1.0}, {"Omeg": 1.0}),
    "inverse_dynamics.q": (lambda g: rt.inverse_dynamics(spring(), V, g), {x: 1.0}, {"x": 1.0}, {"xx": 1.0}),
    "inverse_dynamics.v": (lambda g: rt.inverse_dynamics(spring(), V, {x: 1.0}, g), {x: 1.0}, {"x": 1.0}, {"xx": 1.0}),
    "inverse_dynamics.a": (lambda g: rt.inverse_dynamics(spring(), V, a=g), {x: 1.0}, {"x": 1.0}, {"xx": 1.0}),
    "inverse_dynamics.inputs": (lambda g: rt.inverse_dynamics(spring(), V, inputs=g), {F: 1.0}, {"F": 1.0}, {"FF": 1.0}),
    "discretize.sizes": (lambda g: rt.discretize(string(), g).coordinates, {w: 4}, {"w": 4}, {"ww": 4}),
    "equilibria.values": (lambda g: rt.equilibria(hoop(), g), {k: 9.0, Omega: 1.0}, {"k": 9.0, "Omega": 1.0}, {"Omeg": 1.0}),
    "equilibria.within": (lambda g: rt.equilibria(spring(), V, g, {F: 0.0}), {x: (-1, 1)}, {"x": (-1, 1)}, {"xx": (-1, 1)}),
    "equilibria.inputs": (lambda g: rt.equilibria(spring(), V, {x: (-1, 1)}, g), {F: 1.0}, {"F": 1.0}, {"FF": 1.0}),
    "equilibria.speeds": (lambda g: rt.equilibria(turning(), V, {x: (-1, 1)}, speeds=g), {phi: 1.0}, {"phi": 1.0}, {"phj": 1.0}),
    "equilibria.momenta": (lambda g: rt.equilibria(turning(), V, {x: (-1, 1)}, momenta=g), {phi: 1.0}, {"phi": 1.0}, {"phj": 1.0}),
    "equilibria.symmetries": (lambda g: rt.equilibria(hoop(), {"k": 1.0, "Omega": 2.0}, symmetries=[g]), {theta: -theta}, {"theta": -theta}, {"thet": -theta}),
    "equilibrium.values": (lambda g: rt.equilibrium(hoop(), g), {k: 9.0, Omega: 1.0}, {"k": 9.0, "Omega": 1.0}, {"Omeg": 1.0}),
    "equilibrium.guess": (lambda g: rt.equilibrium(hoop(), {"k": 1.0, "Omega": 2.0}, guess=g), {theta: 1.0}, {"theta": 1.0}, {"thet": 1.0}),
    "equilibrium.guess of a field": (lambda g: rt.equilibrium(strung(), V, guess=g), {w: s * (ell - s)}, {"w": s * (ell - s)}, {"ww": s}),
    "equilibrium.inputs": (lambda g: rt.equilibrium(spring(), V, inputs=g), {F: 1.0}, {"F": 1.0}, {"FF": 1.0}),
    "equilibrium.inputs that rise": (lambda g: rt.equilibrium(spring(), V, inputs=g, raises=False), {ddt(F): 0.0}, {"F'": 0.0}, {"FF'": 0.0}),
    "equilibrium.speeds": (lambda g: rt.equilibrium(turning(), V, speeds=g), {phi: 1.0}, {"phi": 1.0}, {"phj": 1.0}),
    "equilibrium.momenta": (lambda g: rt.equilibrium(turning(), V, momenta=g), {phi: 1.0}, {"phi": 1.0}, {"phj": 1.0}),
    "equilibrium()[...]": (lambda g: rest()[g], x, "x", "xx"),
    "equilibrium().field": (lambda g: rt.equilibrium(strung(), V).field(g, [0.5]), w, "w", "ww"),
    "equilibrium_equations.speeds": (lambda g: rt.equilibrium_equations(turning(), speeds=g, simplify=0, solve=0), {phi: Omega}, {"phi": Omega}, {"phj": Omega}),
    "event.watched": (lambda g: run(events=rt.event(g, stop=True)), x, "x", "xx"),
    "event.watched, an intermediate": (lambda g: run(events=rt.event(g)), half, "half", "hal"),
    "event.change": (lambda g: run(events=rt.event(x, change=g)), {ddt(x): -ddt(x) / 2}, {"x'": -ddt(x) / 2}, {"xx'": 0}),
    "event.change, to": (lambda g: run(events=rt.event(x, change={ddt(x): g})), x, "x", "xx"),
    "expand.about": (lambda g: rt.expand(hoop(), g, simplify=0), {theta: theta0}, {"theta": theta0}, {"thet": 0}),
    "fit.data": (lambda g: swings_of(g).x, {t: SEEN[0], x: SEEN[1]}, {"t": SEEN[0], "x": SEEN[1]}, {"t": SEEN[0], "xx": SEEN[1]}),
    "fit.unknown": (lambda g: swings_of(unknown=g).x, {k: 3.8, ddt(x): 0.1}, {"k": 3.8, "x'": 0.1}, {"kk": 3.8}),
    "fit.values": (lambda g: swings_of(unknown={"x'": 0.1}, values=g).x, {k: 4.0}, {"k": 4.0}, {"kk": 4.0}),
    "fit.start": (lambda g: swings_of(start=g).x, {x: 1.0}, {"x": 1.0}, {"xx": 1.0}),
    "fit.guess": (lambda g: swings_of({"mode": [0, 0], "frequency": [2.0, 2.1]}, start=None, guess=g).x, {x: 0.1}, {"x": 0.1}, {"xx": 0.1}),
    "fit.inputs": (lambda g: swings_of(inputs=g).x, {F: 0.1}, {"F": 0.1}, {"FF": 0.1}),
    "fit.bounds": (lambda g: swings_of(bounds=g).x, {k: (3.5, 3.9)}, {"k": (3.5, 3.9)}, {"kk": (3, 4)}),
    "fit.deviations": (lambda g: swings_of(deviations=g).errors, {x: 0.1}, {"x": 0.1}, {"xx": 0.1}),
    "fit()[...]": (lambda g: swings_of()[g], k, "k", "kk"),
    "floquet.values": (lambda g: rt.floquet(shaken(), g, np.pi), {k: 1.0, Omega: 2.0}, {"k": 1.0, "Omega": 2.0}, {"Omeg": 2.0}),
    "floquet.guess": (lambda g: rt.floquet(shaken(), {"k": 1.0, "Omega": 2.0}, np.pi, guess=g), {theta: 3.0}, {"theta": 3.0}, {"thet": 3.0}),
    "floquet.inputs": (lambda g: rt.floquet(spring(), V, np.pi, inputs=g), {F: 0.0}, {"F": 0.0}, {"FF": 0.0}),
    "follow.parameter": (lambda g: rt.follow(rt.equilibrium(hoop(), {"k": 9.0, "Omega": 1.0}), g, 2), Omega, "Omega", "Omeg"),
    "follow.parameter, an input": (lambda g: rt.follow(rt.equilibrium(spring(), V), g, 2), F, "F", "FF"),
    "follow.parameter, a velocity": (lambda g: rt.follow(rt.equilibrium(turning(), V, speeds={phi: 1.0}), g, 1.05), ddt(phi), "phi'", "phj'"),
    "follow.parameter of periodic motions": (lambda g: rt.follow(swing(), g, 0.11), Omega, "Omega", "Omeg"),
    "follow().amplitudes": (lambda g: family().amplitudes(g), theta, "theta", "thet"),
    "follow()[...]": (lambda g: branch().rest[g], theta, "theta", "thet"),
    "frequency_response.input": (lambda g: rt.frequency_response(rt.linearize(rest()), g, x, [1.0]).magnitude, F, "F", "FF"),
    "frequency_response.outputs": (lambda g: rt.frequency_response(rt.linearize(rest()), F, g, [1.0]).magnitude, [x, ddt(y)], ["x", "y'"], ["xx"]),
    "gibbs_appell.quasi": (lambda g: rt.gibbs_appell(SKATE, {"u": ddt(x) * cos(theta) + ddt(y) * sin(theta), "v": g}, simplify=0).residual, ddt(theta), "theta'", "thet'"),
    "hamiltonian().canonical": (lambda g: canonical().canonical(g), ddt(phi), "phi'", "phj'"),
    "hamiltonian().poisson": (lambda g: canonical().poisson(x, g), canonical().momenta[0], "p_x", "q_x"),
    "hamiltonian().matrix": (lambda g: rt.hamiltonian(hoop(), simplify=0).matrix(g), {theta: 0}, {"theta": 0}, {"thet": 0}),
    "hamiltonian().q": (lambda g: canonical()(V, g, {}), {x: 1.0}, {"x": 1.0}, {"xx": 1.0}),
    "hamiltonian().p": (lambda g: canonical()(V, {}, g), {phi: 1.0}, {"phi": 1.0}, {"phj": 1.0}),
    "legendre.x": (lambda g: rt.legendre(k * ddt(x) ** 2 / 2 + x, g), ddt(x), "x'", "xx'"),
    "legendre.x, several": (lambda g: rt.legendre(k * x**2 / 2 + y**2, g), [x, y], ["x", "y"], ["x", "yy"]),
    "legendre()": (COENERGY, {COENERGY.conjugates[0]: 3.0, k: 2.0}, {"p_x": 3.0, "k": 2.0}, {"p_x": 3.0, "kk": 2.0}),
    "linear_equations.about": (lambda g: rt.linear_equations(hoop(), g, simplify=0), {theta: k}, {"theta": "k"}, {"thet": 0}),
    "linear_equations.about a field": (lambda g: rt.linear_equations(string(), g, simplify=0), {w: 0}, {"w": 0}, {"ww": 0}),
    "modes().whirl": (lambda g: sweep().whirl(*g), (x, y), ("x", "y"), ("x", "yy")),
    "modes().critical_speeds": (lambda g: sweep().critical_speeds(g), Omega, "Omega", "Omeg"),
    "modes().swept": (lambda g: sweep().swept(g), Omega, "Omega", "Omeg"),
    "modes().field": (lambda g: rt.modes(rt.linearize(rt.equilibrium(strung(), V))).field(g, 0, [0.5]), w, "w", "ww"),
    "action().varied": (lambda g: rt.action(run()).varied(0.1, g), x, "x", "xx"),
    "between.values": (lambda g: rt.between(hoop(), g, {theta: 0.0}, {theta: 1.0}, 1.0), {k: 4.0, Omega: 0.1}, {"k": 4.0, "Omega": 0.1}, {"Omeg": 0.1}),
    "between.start": (lambda g: rt.between(hoop(), {"k": 4.0, "Omega": 0.1}, g, {theta: 1.0}, 1.0), {theta: 0.1}, {"theta": 0.1}, {"thet": 0.1}),
    "between.end": (lambda g: rt.between(hoop(), {"k": 4.0, "Omega": 0.1}, {theta: 0.0}, g, 1.0), {theta: 1.0}, {"theta": 1.0}, {"thet": 1.0}),
    "between.guess": (lambda g: rt.between(hoop(), {"k": 4.0, "Omega": 0.1}, {theta: 0.0}, {theta: 1.0}, 1.0, guess=g), {ddt(theta): 1.0}, {"theta'": 1.0}, {"thet'": 1.0}),
    "between.inputs": (lambda g: rt.between(spring(), V, {x: 0.0}, {x: 1.0}, 1.0, inputs=g), {F: cos(t)}, {"F": cos(t)}, {"FF": cos(t)}),
    "lqr.Q": (lambda g: rt.lqr(rt.state_space(rt.linearize(rest())), g, 1.0), {x: 1.0, ddt(y): 2.0}, {"x": 1.0, "y'": 2.0}, {"xx": 1.0}),
    "lqr.R": (lambda g: rt.lqr(rt.state_space(rt.linearize(rest())), np.eye(4), g), {F: 2.0}, {"F": 2.0}, {"FF": 2.0}),
    "lqr.final": (lambda g: rt.lqr(rt.linearize(run()), {x: 1.0}, 1.0, final=g), {x: 1.0}, {"x": 1.0}, {"xx": 1.0}),
    "observer.W": (lambda g: rt.observer(rt.state_space(rt.linearize(rest())), g, np.eye(2)), {x: 1.0, y: 1.0}, {"x": 1.0, "y": 1.0}, {"xx": 1.0}),
    "observer.V": (lambda g: rt.observer(rt.state_space(rt.linearize(rest())), np.eye(4), g), {x: 1.0, y: 2.0}, {"x": 1.0, "y": 2.0}, {"xx": 1.0}),
    "periodic_motion.values": (lambda g: rt.periodic_motion(hoop(), g, {theta: 1.0}, 3.2), {k: 4.0, Omega: 0.1}, {"k": 4.0, "Omega": 0.1}, {"Omeg": 0.1}),
    "periodic_motion.guess": (lambda g: rt.periodic_motion(hoop(), {"k": 4.0, "Omega": 0.1}, g, 3.2), {theta: 1.0}, {"theta": 1.0}, {"thet": 1.0}),
    "periodic_motion.inputs": (lambda g: rt.periodic_motion(spring(dissipation=ddt(x) ** 2), V, {x: 0.1}, 2 * np.pi, inputs=g), {F: cos(t)}, {"F": cos(t)}, {"FF": cos(t)}),
    "periodic_motion().amplitude": (lambda g: swing().amplitude(g), theta, "theta", "thet"),
    "plot.against of modes": (lambda g: drawn(sweep(), against=g), Omega, "Omega", "Omeg"),
    "plot.against of a motion": (lambda g: drawn(run(), against=g), x, "x", "xx"),
    "plot.shown of a motion": (lambda g: drawn(run(), shown=g), [x, half], ["x", "half"], ["xx"]),
    "plot.shown of a field": (lambda g: drawn(rt.equilibrium(strung(), V), shown=g), w, "w", None),
    "plot.shown of a branch": (lambda g: drawn(branch(), shown=g), theta, "theta", "thet"),
    "plot.shown of an action": (lambda g: drawn(rt.action(run(), shapes=1), shown=g), x, "x", "xx"),
    "plot.shown of periodic motions": (lambda g: drawn(family(), shown=g), theta, "theta", "thet"),
    "reduce.interface": (lambda g: rt.reduce(rt.linearize(rest()), modes=1, interface=g), [x], ["x"], ["xx"]),
    "report.values": (lambda g: written("report", g), {k: 3.0}, {"k": 3.0}, {"kk": 3.0}),
    "routhian.cyclic": (lambda g: rt.routhian(turning(), g, simplify=0), [phi], ["phi"], ["phj"]),
    "save.values": (lambda g: written("save", g), {k: 3.0}, {"k": 3.0}, {"kk": 3.0}),
    "simulate.values": (lambda g: run(values=g), {k: 4.0}, {"k": 4.0}, {"kk": 4.0}),
    "simulate.start": (lambda g: run(start=g), {x: 1.0, ddt(x): 2.0}, {"x": 1.0, "x'": 2.0}, {"xx": 1.0}),
    "simulate.inputs": (lambda g: run(inputs=g), {F: -x}, {"F": -x}, {"FF": -x}),
    "simulate.inputs, a law": (lambda g: run(inputs={F: g}), ddt(x), "x'", "xx'"),
    "simulate.keep": (lambda g: run(keep=[g]).kept, ddt(x), "x'", "xx"),
    "simulate()[...]": (lambda g: run()[g], ddt(x, 2), "x''", "xx"),
    "simulate()[...], an input": (lambda g: run()[g], F, "F", "FF"),
    "simulate()[...], a multiplier": (lambda g: run(bob(), start={y: -2}, inputs={})[g], bob().multipliers[0], "lambda1", "lambd1"),
    "simulate()[...] with friction": (lambda g: run(rubbing())[g], x, "x", "xx"),
    "simulate().field": (lambda g: run(strung(), start={}, inputs={}).field(g, [0.5]), ddt(w), "w_t", "ww"),
    "stability_map.values": (lambda g: rt.stability_map(hoop(), g), {k: [1.0, 2.0], Omega: [1.0, 2.0]}, {"k": [1.0, 2.0], "Omega": [1.0, 2.0]}, {"k": [1.0, 2.0], "Omeg": [1.0, 2.0]}),
    "stability_map.guess": (lambda g: rt.stability_map(hoop(), {"k": [1.0, 2.0], "Omega": [1.0, 2.0]}, guess=g), {theta: 3.0}, {"theta": 3.0}, {"thet": 3.0}),
    "stability_map.inputs": (lambda g: rt.stability_map(plane(), {"k": [1.0, 2.0], "Omega": [1.0, 2.0]}, inputs=g), {F: 1.0}, {"F": 1.0}, {"FF": 3.0}),
    "stability_map.speeds": (lambda g: rt.stability_map(turning().changed(potential=k * x**2 + Omega * x), {"k": [3.0, 4.0], "Omega": [1.0, 2.0]}, speeds=g), {phi: 1.0}, {"phi": 1.0}, {"phj": 3.0}),
    "sweep.values": (lambda g: study(values=g), {k: 4.0}, {"k": 4.0}, {"kk": 4.0}),
    "sweep.over": (lambda g: study(over=g), {F: [1.0, 2.0]}, {"F": [1.0, 2.0]}, {"FF": [1.0]}),
    "sweep.find": (lambda g: study(find=g), [x, "q"], ["x", "q"], ["xx"]),
    "sweep.guess": (lambda g: study(guess=g), {x: 0.1}, {"x": 0.1}, {"xx": 0.1}),
    "sweep.inputs": (lambda g: study(over={"k": [1.0, 2.0]}, values={}, inputs=g), {F: 1.0}, {"F": 1.0}, {"FF": 1.0}),
    "sweep.speeds": (lambda g: study(turning(), over={"k": [1.0, 2.0]}, values={}, speeds=g), {phi: 1.0}, {"phi": 1.0}, {"phj": 1.0}),
    "sweep.momenta": (lambda g: study(turning(), over={"k": [1.0, 2.0]}, values={}, momenta=g), {phi: 1.0}, {"phi": 1.0}, {"phj": 1.0}),
    "sweep.start": (lambda g: study(over={"k": [1.0, 2.0]}, values={}, inputs={"F": 0.0}, times=TIMES, start=g), {x: 1.0}, {"x": 1.0}, {"xx": 1.0}),
    "state_space.outputs": (lambda g: tuple(rt.state_space(rt.linearize(rest()), g)), [x, ddt(y), F], ["x", "y'", "F"], ["xx"]),
    "stick_zone.values": (lambda g: rt.stick_zone(rubbing(), g), {k: 4.0}, {"k": 4.0}, {"kk": 4.0}),
    "stick_zone.guess": (lambda g: rt.stick_zone(rubbing(), V, guess=g), {x: 0.1}, {"x": 0.1}, {"xx": 0.1}),
    "stick_zone.inputs": (lambda g: rt.stick_zone(rubbing(), V, inputs=g), {F: 0.1}, {"F": 0.1}, {"FF": 0.1}),
}  # fmt: skip
"""For each argument: a call, the argument with symbols, with names, and with a name that is none."""

DECLARING = {
    "angular_velocity", "at", "cross", "damper", "ddt", "diff", "dot", "euler_angles", "field", "force",
    "friction", "integral", "let", "linear_model", "norm2", "reaction", "rigid_body", "rotation", "space", "spring", "torque",
    "variable_mass", "vector", "coordinate", "coordinates", "input", "inputs", "parameter", "parameters",
    "quaternion", "rotation_matrix",
}  # fmt: skip
"""What declares: there is no system yet that could say what names mean."""

WITHOUT = {
    "accretion", "atol", "axes", "certify", "check", "closed", "command", "constraints",
    "converged", "count", "declared", "derivatives", "design", "direction", "discretization", "dissipation", "duration", "engine", "f",
    "form", "frequencies", "friction", "keep", "kinetic", "lagrangian", "level", "linear", "loss", "method", "model", "modes", "motion", "name", "names", "of", "order", "overwrite", "path", "period",
    "points", "potential", "progress", "proven", "raises", "reference", "regularize", "result", "rpm",
    "requirements", "rtol", "seconds", "seed", "shapes", "simplify", "solve", "source", "space", "speed", "stabilize", "starts", "step", "stop", "study",
    "system", "time", "times", "title", "to", "track", "variations", "what", "about", "workers",
}  # fmt: skip
"""Arguments that take no symbols, or formulas alone."""


def functions():
    """All public functions, and the class of systems, by name."""
    every = {name: getattr(rt, name) for name in rt.__all__}
    ours = {n: f for n, f in every.items() if inspect.isfunction(f) and f.__module__[:5] == "routh"}
    return {"System": rt.System, **ours}


def test_the_table_has_every_argument_that_takes_symbols():
    held = {key.split(" ")[0].rstrip(",") for key in TABLE} | {"simulate.events", "export.events"}
    missing = [
        f"{name}.{argument}"
        for name, function in functions().items()
        if name not in DECLARING
        for argument in inspect.signature(function).parameters
        if argument not in WITHOUT and f"{name}.{argument}" not in held
    ]
    assert not missing


def bits(found):
    """A result as something that is equal only to the last bit."""
    if isinstance(found, np.ndarray) and found.dtype == object:
        return [str(each) for each in found.ravel()]
    if isinstance(found, (np.ndarray, float)):
        return np.asarray(found).tobytes()
    if isinstance(found, (list, tuple)):
        return [bits(each) for each in found]
    if isinstance(found, dict):
        return {str(key): bits(value) for key, value in found.items()}
    if dataclasses.is_dataclass(found) and not isinstance(found, type):
        own = {f.name: getattr(found, f.name) for f in dataclasses.fields(found)}
        seconds = ("statistics", "flows", "again")
        return {key: bits(each) for key, each in own.items() if key[0] != "_" and key not in seconds}
    return f"{found!r} {found.parts()}" if isinstance(found, rt.System) else str(found)


@pytest.mark.parametrize("argument", TABLE)
def test_a_name_is_as_good_as_its_symbol(argument):
    call, symbols, names, _ = TABLE[argument]
    assert bits(call(names)) == bits(call(symbols))


@pytest.mark.parametrize("argument", [each for each, row in TABLE.items() if row[3] is not None])
def test_a_misspelt_name_is_told_with_the_one_that_was_meant(argument):
    call, _, _, misspelt = TABLE[argument]
    with pytest.raises(rt.DeclarationError, match=r"Did you mean `"):
        call(misspelt)


@pytest.mark.parametrize("kind", ["save", "report"])
@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({k: 3.0, "k": 3.0}, "gives `k` twice, by name and as a symbol"),
        ({"k": "a"}, "`k` in `values` must be a number. Got 'a'"),
        ({"k": None}, "`k` in `values` must be a number. Got None"),
        ({"k": np.ones(2)}, "`k` in `values` must be a number"),
        ({"k": np.nan}, "`k` in `values` must be finite. Got nan"),
        ({x: 1.0}, "`values` has `x`, which is no parameter of"),
        ([1, 2], r"must map parameters to numbers, like dict\(m=1, g=9.81\). Got \[1, 2\]"),
        (3, "must map parameters to numbers, like .* Got 3"),
    ],
)
def test_values_of_a_file_or_a_report_are_refused_in_a_sentence(kind, values, said):
    with pytest.raises(rt.DeclarationError, match=said):
        written(kind, values)


def test_the_report_has_the_values_that_were_given():
    assert written("report", {k: 9.0}) != written("report", {})
    assert written("report", {}) == written("report", V)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        (
            theta,
            r"report takes a model file, the Model that `load` gives, or a System\. Got a Coordinate",
        ),
        (None, r"report takes a model file, the Model that `load` gives, or a System\. Got a NoneType"),
        ("s.toml", "There is no model file 's.toml'"),
    ],
)
def test_a_report_is_of_a_model_or_a_system(what, said, tmp_path):
    with pytest.raises(rt.DeclarationError, match=said):
        rt.report(what, tmp_path / "page.md")


def test_text_is_never_read_as_a_formula():
    with pytest.raises(rt.DeclarationError, match="Formulas are written with symbols, not as text"):
        run()["x + 1"]


SCRIPT = """
import routh as rt
from routh import ddt
from routh.results import Equilibrium, Modes

x, phi = rt.coordinates("x phi")
k, u = rt.parameter("k", 4.0), rt.input("u")
T = (ddt(x) ** 2 + (1 + x**2) * ddt(phi) ** 2) / 2
forces = {x: u}
turning = rt.System(kinetic=T, potential=k * x**2 + x / 10, forces=forces)
named = rt.System(kinetic=T, potential=k * x**2, forces={"x": u}, coordinates=["phi", "x"])
s = rt.space("s", 0, 1)
w = rt.field("w", over=s)
string = rt.System(
    kinetic=rt.integral(ddt(w) ** 2 / 2, s),
    potential=rt.integral(rt.diff(w, s) ** 2 / 2, s),
    constraints=[rt.at(w, s, 0), rt.at(w, s, 1)],
)
sizes, about, change = {w: 4}, {x: 0, phi: 0}, {ddt(x): 0}
rt.discretize(string, {"w": 4})
rt.discretize(string, {"w": rt.Elements(4)})
rt.discretize(string, sizes)
rt.expand(turning, {"x": 0, "phi": k})
rt.expand(turning, about, 2)
rt.linear_equations(turning, {"x": 0, phi: 0})
rt.linear_equations(turning, about)
rt.equilibrium_equations(turning, speeds={"phi": 2.0})
rt.consistent(turning, {"k": 4.0}, {"x": 1.0}, keep=["x", ddt(phi)], inputs={"u": 0.0})
mirrored = {x: -x}
rt.equilibria(turning, {"k": 4.0}, {"x": (-1, 1)}, symmetries=[{"x": -x}, mirrored])
rt.hamiltonian(turning).matrix({"x": 0, "phi": 0})
rt.save(turning, "turning.toml", values={"k": 2.0})
rt.report(rt.load("turning.toml"), "turning.md", values={"k": 2.0, k: 3})
rest: Equilibrium = rt.equilibrium(turning, {"k": 4.0}, speeds={"phi": 1.0})
linear = rt.linearize(rest)
modes: Modes = rt.modes(linear)
rt.state_space(linear, ["x", ddt(phi)])
rt.frequency_response(linear, "u", ["x"], [1.0])
rt.follow(rest, "phi'", 1.05)
stop = rt.event("x", change={"x'": 0}, stop=True)
rt.event(x, change=change)
motion = rt.simulate(turning, {"k": 4.0}, {"x": 1.0}, [0, 1], inputs={"u": 0.0}, events=stop)
print(motion["x'"], rest["x"], modes.whirl("x", "phi"), rt.routhian(turning, ["phi"]))
"""


@pytest.mark.slow
def test_a_type_checker_takes_names_for_symbols(tmp_path):
    written = tmp_path / "script.py"
    written.write_text(SCRIPT, encoding="utf-8")
    root = Path(rt.__file__).parents[2]
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(written)]
    found = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert "Success" in found.stdout, found.stdout


TWICE = {
    "values": lambda: rt.equilibrium(spring(), {"k": 1.0, k: 2.0}),
    "about": lambda: rt.linear_equations(spring(), {"x": 0, x: 1}),
    "about ": lambda: rt.expand(spring(), {"x": 0, x: 1}),
    "sizes": lambda: rt.discretize(string(), {"w": 3, w: 4}),
    "guess": lambda: rt.equilibrium(strung(), {"k": 1.0}, guess={"w": 0, w: s}),
    "speeds": lambda: rt.equilibrium_equations(turning(), speeds={"phi": 1, phi: 2}),
    "inputs": lambda: rt.equilibria(spring(), {"k": 1.0}, inputs={"F": 1, F: 2}),
    "change": lambda: run(events=[rt.event("x", change={"x'": 1, ddt(x): 2})]),
    "symmetries": lambda: rt.equilibria(
        spring(), {"k": 1.0}, within={x: (-1, 1)}, symmetries=[{"x": -x, x: x}]
    ),
    "forces": lambda: rt.System(kinetic=ddt(x) ** 2 / 2, forces={"x": 1, x: 2}),
    "numbers": lambda: COENERGY({"p_x": 1, COENERGY.conjugates[0]: 2}),
}


@pytest.mark.parametrize("argument", TWICE)
def test_a_name_and_its_symbol_are_not_given_together(argument):
    with pytest.raises(
        rt.DeclarationError, match=rf"^`{argument.strip()}` gives `.*` twice, by name and as"
    ):
        TWICE[argument]()


def test_values_of_a_file_are_given_once(tmp_path):
    with pytest.raises(rt.DeclarationError, match="`values` gives `k` twice, by name and as a symbol"):
        rt.save(spring(), tmp_path / "spring.toml", values={"k": 3.0, k: 4.0})


def test_an_unknown_name_is_told_with_all_that_is_known():
    with pytest.raises(
        rt.DeclarationError, match=r"coordinates: x, y; .*inputs: nothing; multipliers: lambda1\."
    ):
        rt.equilibrium(bob(), {"k": 1.0}, guess={"y": -2})["tension"]
    with pytest.raises(rt.DeclarationError, match=r"; inputs: nothing; fields: w\. Formulas"):
        rt.equilibrium(strung(), {"k": 1.0})["deflection"]
    with pytest.raises(
        rt.DeclarationError, match="parameters: k; inputs: nothing; multipliers: lambda1"
    ):
        rt.equilibrium(bob(), {"k": 1.0}, guess={"y": -2})[x + Omega]
    with pytest.raises(
        rt.DeclarationError, match=r"Coordinates: x; their rates: x'\. Did you mean `x'`\?"
    ):
        run(start={"xx'": 1.0})
    with pytest.raises(rt.DeclarationError, match=r"Fields: w; their rates: w_t\."):
        rt.simulate(strung(), {"k": 1.0}, {"deflection": 0}, [0, 1])
    with pytest.raises(rt.DeclarationError, match=r"no coordinate of the system\. Coordinates: w_1, "):
        rt.equilibria(strung(), {"k": 1.0}, within={"w": (-1, 1)})
