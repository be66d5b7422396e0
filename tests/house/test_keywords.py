"""Every keyword of every public function is read or refused, for each kind of what the function takes.

In the manner of python-control's `kwargs_test.py`. The table below has for each function, and each kind of
its first argument, a call and for every keyword a value with which the call must end otherwise than
without: in another result, or in an error. A keyword or a kind that is missing from it fails the test.
"""

from __future__ import annotations

import inspect
from functools import cache
from types import ModuleType

import matplotlib as mpl
import numpy as np
import pytest
from sympy.physics import mechanics

import routh as rt
from routh import cos, ddt, sin, t

mpl.use("Agg")

x, y, z, phi = rt.coordinates("x y z phi")
f = rt.input("f")
k, c, w = rt.parameters("k c w")
s = rt.space("s", 0, 1)
u = rt.field("u", over=s)
V = {"k": 4.0}
TIMES = np.linspace(0, 1, 11)


def spring(**more):
    own = {"kinetic": ddt(x) ** 2 / 2, "potential": k * x**2 / 2, "forces": {x: f}}
    return rt.System(**{**own, **more})


def swing():
    return rt.System(kinetic=ddt(phi) ** 2 / 2, potential=-cos(phi), forces={phi: f})


def study(**given):
    """A study as text."""
    ask = {"over": {"k": [4.0, 5.0], "f": [0.1, 0.2]}, "find": ["q"], "guess": {x: 1.0}}
    found = rt.sweep(turning(), {}, **(ask | given))
    return str(found.drop_attrs().to_dict())


def turning():
    T = (ddt(x) ** 2 + x**2 * ddt(phi) ** 2) / 2
    return rt.System(kinetic=T, potential=k * (x - 1) ** 2 / 2, forces={x: f})


def rubbing():
    return spring(friction=rt.friction(ddt(x), static=0.4, kinetic=0.2))


def on_a_belt():
    return spring(friction=rt.friction(ddt(x) - 1, static=0.4, kinetic=0.2))


def rod():
    held = [rt.at(u, s, 0)]
    kinetic, potential = rt.energies.rod(u, 1, 1)
    return rt.System(kinetic=kinetic, potential=potential, constraints=held)


def parametric():
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=(2 + cos(t)) * k * x**2 / 2, forces={x: f})


def bound():
    return rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=y,
        constraints=[(x**2 + y**2 - 1) / 2, z - x],
        coordinates=[x, y, z],
    ).changed(kinetic=[(ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2])


def driven_spring():
    return rt.System(
        kinetic=ddt(x) ** 2 / 2,
        potential=k * x**2 / 2,
        dissipation=ddt(x) ** 2 / 10,
        forces={x: cos(w * t) + f},
    )


@cache
def rest():
    return rt.equilibrium(spring(), V)


@cache
def sweep():
    return rt.equilibrium(turning(), {"k": [4.0, 5.0]}, guess={x: 1.0}, speeds={phi: 0.5})


def run(system, values, **given):
    """A motion, as what is told of it."""
    quiet = {"inputs": {f: 0.1 * sin(t)}, "progress": False}
    return rt.simulate(system, values, {x: 1.0}, TIMES, **{**quiet, **given})


def told(system, values):
    def call(**given):
        found = run(system, values, **given)
        return str((found.q.tolist(), getattr(found, "global_error", None)))

    return call


@cache
def motion():
    return run(spring(), V)


@cache
def held():
    return rt.simulate(bound(), {}, {x: 0.6, y: -0.8, z: 0.6}, TIMES, progress=False)


@cache
def slipping():
    return run(rubbing(), V)


@cache
def swings():
    return rt.periodic_motion(swing(), {}, {phi: 1.0}, 6.7, inputs={f: 0})


@cache
def answers():
    return rt.periodic_motion(driven_spring(), {"k": 4, "w": 1.0}, {x: 0.3}, 2 * np.pi, inputs={f: 0})


@cache
def chart():
    stiff, share = np.meshgrid([1.0, 2.0, 3.0], [0.1, 0.2])
    mathieu = rt.System(kinetic=ddt(x) ** 2 / 2, potential=(k + c * cos(t)) * x**2 / 2)
    return rt.floquet(mathieu, {"k": stiff, "c": share}, 2 * np.pi)


def complain(*_):
    """A function that tells that it was called."""
    raise rt.SolveError("called")


@cache
def bar():
    return rt.discretize(rod(), {u: 4})


@cache
def oscillator():
    q = mechanics.dynamicsymbols("q")
    return mechanics.LagrangesMethod(q.diff() ** 2 - q**2, [q])


@cache
def model():
    return rt.load(f"{__file__.rsplit('/', 3)[0]}/examples/models/elastic_pendulum.toml")


def lines_of(axes):
    """What is drawn: data of lines, labels and limits."""
    data = [np.round(line.get_xydata(), 9).tolist() for line in axes.get_lines()]
    return str((data, axes.get_xlabel(), axes.get_ylabel(), len(axes.collections)))


def drawn(result):
    def call(**given):
        import matplotlib.pyplot as plt

        axes = rt.plot(result(), **given)
        found = lines_of(axes) + str(id(axes) if "axes" in given else "")
        plt.close("all")
        return found

    return call


def new_axes():
    import matplotlib.pyplot as plt

    return plt.figure().add_subplot()


def written(**given):
    """The pieces of a system, as text."""
    made = rt.System(**given)
    return str(
        (
            {name: [str(e) for e in part] for name, part in made.parts().items()},
            made.title,
            made.parameters,
        )
    )


def page(tmp_path, **given):
    return str(hash(rt.report(model(), **{"path": tmp_path / "page.html", **given}).read_text()))


BAD = object()
"""No value of any kind: refused wherever it is read."""

T_PLANE = (ddt(x) ** 2 + ddt(y) ** 2) / 2
BASE = {"kinetic": ddt(x) ** 2 / 2, "potential": x**2}

TABLE = {
    "angular_velocity": {"object": (lambda **g: rt.angular_velocity(rt.rotation(phi, [1, 1, 0]), **g), {"axes": "space"})},
    "animate": {
        "Trajectory": (lambda **g: rt.animate(motion(), **{"points": [[x, 1]], **g}).html, {
            "points": [[x, 0]], "lines": [[[0, 0], [x, 0]]], "springs": [[[0, 0], [x, 0]]], "labels": {"m": [x, 0]},
            "bodies": BAD, "arrows": BAD, "frames": BAD, "speed": 0.5, "title": "other"}),
        "StickSlip": (lambda **g: rt.animate(slipping(), **{"points": [[x, 1]], **g}).html, {
            "points": [[x, 0]], "lines": [[[0, 0], [x, 0]]], "springs": [[[0, 0], [x, 0]]], "labels": {"m": [x, 0]},
            "bodies": BAD, "arrows": BAD, "frames": BAD, "speed": 0.5, "title": "other"}),
    },
    "consistent": {"System": (lambda **g: str(rt.consistent(bound(), {}, {x: 0.5, y: -0.8, z: 0.6}, **g)), {
        "keep": [x], "inputs": {f: 1.0}, "time": BAD})},
    "constraint_forces": {
        "Trajectory": (lambda **g: rt.constraint_forces(held(), **g), {"at": rt.vector(x, y), "of": 0}),
        "Equilibrium": (lambda **g: rt.constraint_forces(rt.equilibrium(bound(), {}, guess={y: -1.0}), **g), {
            "at": rt.vector(x, y), "of": [1]}),
    },
    "coordinate": {"str": (lambda **g: rt.coordinate("q", **g)._repr_latex_(), {"latex": "Q"})},
    "damper": {"object": (lambda **g: rt.damper(1, x, **g), {"b": y})},
    "drift": {"System": (lambda **g: str(rt.drift(bound(), {}, {y: -1.0, ddt(x): 1.0, ddt(z): 1.0}, **{"times": [0, 0.1], "step": 0.05, **g}).off_q), {
        "step": 0.02, "stabilize": BAD, "inputs": {f: 1.0}})},
    "casadi_function": {
        "System": (lambda **g: str(rt.casadi_function(spring(), **g)), {
            "form": "canonical", "derivatives": True, "values": {"no": 1.0}, "inputs": {"f": 1.0}, "name": "spring",
        }),
        "Model": (lambda **g: str(rt.casadi_function(model(), **g)), {
            "form": "canonical", "derivatives": True, "values": {"no": 1.0}, "inputs": {"no": 1.0}, "name": "swing",
        }),
    },
    "export": {
        kind: (lambda tmp_path, own=own, **g: str([path.read_text() for path in rt.export(own(), tmp_path / "a.casadi", **{"overwrite": True, **g})[1:]]), {
            "what": "index 1", "values": {"k": 50.0}, "inputs": given, "start": {"no": 1.0}, "events": BAD, "overwrite": False})
        for kind, own, given in (("System", spring, {"f": 1.0}), ("Model", model, {"no": 1.0}))
    },
    "dynamics": {
        "System": (lambda **g: str(rt.dynamics(spring(kinetic=(1 + x**2) * ddt(x) ** 2 / 2), V, **{"q": {x: 0.5}, **g}).a), {
            "q": {x: 1.0}, "v": {x: 2.0}, "forces": {x: 3.0}, "inputs": {f: 1.0}, "time": BAD, "engine": "cc"}),
    },
    "inverse_dynamics": {
        "System": (lambda **g: str(rt.inverse_dynamics(spring(kinetic=(1 + x**2) * ddt(x) ** 2 / 2), V, **{"q": {x: 0.5}, **g})), {
            "q": {x: 1.0}, "v": {x: 2.0}, "a": {x: 3.0}, "inputs": {f: 1.0}, "time": BAD}),
    },
    "ddt": {"Expr": (lambda **g: rt.ddt(x, **g), {"order": 2}), "Matrix": (lambda **g: rt.ddt(rt.vector(x, y), **g), {"order": 2})},
    "diff": {"Expr": (lambda **g: rt.diff(x**3, x, **g), {"order": 2}), "Matrix": (lambda **g: rt.diff(rt.vector(x**3, y), x, **g), {"order": 2})},
    "discretize": {"System": (lambda **g: str(rt.discretize(rod(), {u: 3}, **g).rules), {"points": 9})},
    "equations": {"System": (lambda **g: str(rt.equations(spring(), **g)), {"simplify": BAD}),
                  "fields": (lambda **g: str(rt.equations(rod(), **g)), {"simplify": BAD})},
    "equilibria": {"System": (lambda **g: str(rt.equilibria(turning(), V, **{"within": {x: (0.5, 2)}, **g})), {
        "within": {x: (2, 3)}, "inputs": {f: 1.0}, "speeds": {phi: 1.0}, "momenta": {phi: 1.0},
        "symmetries": BAD, "certify": BAD, "starts": BAD, "engine": "cc"})},
    "equilibrium": {
        "System": (lambda **g: str(rt.equilibrium(turning(), V, **{"guess": {x: 0.9}, **g})), {
            "guess": {phi: 2.0}, "inputs": {f: 1.0}, "speeds": {phi: 1.0}, "momenta": {phi: 1.0}, "raises": BAD, "engine": "cc"}),
        "batch": (lambda **g: rt.equilibrium(turning(), {"k": [4.0, 5.0]}, **{"guess": {x: 0.9}, **g}).q, {
            "guess": {phi: 2.0}, "inputs": {f: 1.0}, "speeds": {phi: 1.0}, "momenta": {phi: 1.0}, "raises": BAD, "engine": "cc"}),
        "fields": (lambda **g: rt.equilibrium(bar(), {}, **g).q, {
            "guess": {x: 1.0}, "inputs": {f: 1.0}, "speeds": {x: 1.0}, "momenta": {x: 1.0}, "raises": BAD, "engine": "cc"}),
        "friction": (lambda **g: str(rt.equilibrium(on_a_belt(), V, **g)), {
            "guess": {y: 1.0}, "inputs": {y: 1.0}, "speeds": {x: 1.0}, "momenta": {x: 1.0}, "raises": BAD, "engine": "cc"}),
    },
    "equilibrium_equations": {"System": (lambda **g: str(rt.equilibrium_equations(turning(), **g)), {
        "speeds": {phi: w}, "simplify": BAD, "solve": BAD}),
        "fields": (lambda **g: str(rt.equilibrium_equations(rod(), **g)), {"speeds": {x: w}, "simplify": BAD, "solve": BAD})},
    "event": {"Expr": (lambda **g: repr(rt.event(x, **{"stop": True, **g})) + str(rt.event(x, **{"stop": True, **g}).change), {
        "direction": 1, "stop": BAD, "change": {ddt(x): -ddt(x)}, "name": "hit"})},
    "expand": {
        "System": (lambda **g: str(rt.expand(swing(), **{"about": {phi: 0}, "order": 1, **g})), {
            "about": {phi: 1}, "order": 2, "simplify": BAD}),
        "Equilibrium": (lambda **g: rt.expand(rest(), **g).order, {"about": {x: 0}, "order": 2, "simplify": 1.0}),
    },
    "field": {"str": (lambda **g: rt.field("v", **{"over": s, **g})._repr_latex_(), {
        "over": BAD, "latex": "W"})},
    "floquet": {
        "System": (lambda **g: str(rt.floquet(parametric(), **{"values": V, "period": 2 * np.pi, **g})), {
            "values": {"k": 5.0}, "period": 4 * np.pi, "guess": {y: 1.0}, "inputs": {f: x}, "engine": "cc"}),
        "PeriodicMotion": (lambda **g: str(rt.floquet(swings(), **g)), {
            "values": {}, "period": 3.0, "guess": {phi: 1.0}, "inputs": {}, "engine": "cc"}),
    },
    "follow": {
        "Equilibrium": (lambda **g: str(len(rt.follow(rest(), "k", 5.0, **g))), {"step": 0.05, "period": 2.0}),
        "PeriodicMotion": (lambda **g: str(rt.follow(answers(), "k", 4.05, **g).periods), {
            "step": 0.1, "period": BAD}),
    },
    "fit": {"System": (lambda **g: str(rt.fit(spring(), {"t": [0, 1, 2, 3], "x": [1.0, -0.4, -0.7, 0.97]}, {"k": 3.8}, **{ "start": {x: 1.0}, "inputs": {f: 0}, **g})), {
        "values": {"k": 4.0}, "start": {x: 1.1}, "guess": {"q": 1.0}, "inputs": {f: 0.1}, "bounds": {"k": (3.5, 3.9)},
        "deviations": {"x": 0.1}, "loss": "huber", "level": 0.9, "rtol": BAD})},
    "force": {"object": (lambda **g: str(rt.force([1, 2], **{"at": [x, 0], **g})), {"at": [x, y]})},
    "friction": {"object": (lambda **g: str((rt.friction(ddt(x), **{"static": 2, "kinetic": 1, **g}).law(w), rt.friction(ddt(x), **{"static": 2, "kinetic": 1, **g}).static, rt.friction(ddt(x), **{"static": 2, "kinetic": 1, **g}))), {
        "static": 3, "kinetic": 1.5, "stribeck": 0.1, "viscous": 1, "law": lambda speed: 1 + speed, "name": "pad", "coefficient": 0.3, "normal": 5, "static_coefficient": 0.4})},
    "gibbs_appell": {"System": (lambda **g: str(rt.gibbs_appell(spring(), {"n": 2 * ddt(x)}, **g)), {"simplify": BAD})},
    "hamiltonian": {"System": (lambda **g: str(rt.hamiltonian(spring(), **g)), {"simplify": BAD})},
    "input": {"str": (lambda **g: rt.input("q", **g)._repr_latex_(), {"latex": "Q"})},
    "integral": {"object": (lambda **g: rt.integral(u, s, **g), {"upto": s})},
    "legendre": {"object": (lambda **g: str(rt.legendre(x**2 / 2, [x], **g)), {"names": "n", "simplify": BAD})},
    "linear_equations": {"System": (lambda **g: str(rt.linear_equations(swing(), {phi: 0}, **g)), {"simplify": BAD}),
                         "fields": (lambda **g: str(rt.linear_equations(rod(), {u: 0}, **g)), {"simplify": BAD})},
    "linear_model": {"Mapping": (lambda **g: str(rt.state_space(rt.linear_model({"M": [[1.0]], "K": [[4.0]], "B": [[1.0]]}, **g))) + rt.linear_model({"M": [[1.0]], "K": [[4.0]]}, **{n: own for n, own in g.items() if n == "name"}).system.name, {
        "coordinates": ["z"], "inputs": ["z"], "name": "box"})},
    "linearize": {
        "Equilibrium": (lambda **g: str(rt.linearize(rt.equilibrium(parametric(), V), **g)), {"time": 0.5, "closed": True, "engine": "cc"}),
        "Trajectory": (lambda **g: str(rt.linearize(motion(), **g)), {"time": 0.5, "closed": BAD, "engine": "c"}),
    },
    "lqr": {"LinearAlong": (lambda **g: rt.lqr(rt.linearize(motion()), {x: 1.0}, 1.0, **g).gain, {"final": {x: 2.0}}),
            "StateSpace": (lambda **g: rt.lqr(rt.state_space(rt.linearize(rest())), {x: 1.0}, 1.0, **g).gain, {"final": {x: 2.0}})},
    "modes": {
        "LinearModel": (lambda **g: str(rt.modes(rt.linearize(rest()), **g)), {"track": BAD, "count": BAD, "converged": 1e-3, "engine": "cc"}),
        "batch": (lambda **g: str(rt.modes(rt.linearize(sweep()), **g)), {"track": BAD, "count": BAD, "converged": 1e-3, "engine": "cc"}),
        "fields": (lambda **g: str(rt.modes(rt.linearize(rt.equilibrium(bar(), {})), **g).frequencies.tolist()), {
            "track": BAD, "count": 2, "converged": 1e-3, "engine": "cc"}),
    },
    "parameter": {"str": (lambda **g: str((rt.parameter("q", **g).default, rt.parameter("q", **g).unit, rt.parameter("q", **g)._repr_latex_(), rt.parameter("q", **g).is_positive, rt.parameter("q", **g).is_nonnegative)), {
        "default": 2.0, "unit": "kg", "latex": "Q", "positive": True, "nonnegative": True})},
    "parameters": {"str": (lambda **g: str([(p.is_positive, p.is_nonnegative) for p in rt.parameters("q r", **g)]), {
        "positive": True, "nonnegative": True})},
    "action": {"Trajectory": (lambda **g: rt.action(motion(), **g).first.shape, {"shapes": 3})},
    "between": {"System": (lambda **g: rt.between(parametric(), V, {x: 0.0}, {x: 1.0}, 1.0, **{"inputs": {f: 0}, **g}).v[0], {
        "guess": {x: 1.0}, "inputs": {f: cos(t)}, "time": 1.0, "rtol": BAD})},
    "periodic_motion": {"System": (lambda **g: str(rt.periodic_motion(driven_spring(), {"k": 4, "w": 1.0}, {x: 0.3}, 2 * np.pi, **{"inputs": {f: 0}, **g}).amplitude(x)), {
        "inputs": {f: cos(4 * t)}})},
    "plot": {
        "Modes": (drawn(lambda: rt.modes(rt.linearize(sweep()))), {"against": "k", "shown": x, "rpm": True, "axes": new_axes}),
        "Branch": (drawn(lambda: rt.follow(rest(), "k", 5.0)), {"against": x, "shown": x**2 + 1, "rpm": True, "axes": new_axes}),
        "Trajectory": (drawn(motion), {"against": x, "shown": x**2, "rpm": True, "axes": new_axes}),
        "Action": (drawn(lambda: rt.action(motion(), shapes=2)), {"against": x, "shown": y, "rpm": True, "axes": new_axes}),
        "Floquet": (drawn(chart), {
            "against": x, "shown": x, "rpm": True, "axes": new_axes}),
        "FrequencyResponse": (drawn(lambda: rt.frequency_response(rt.linearize(rest()), f, x, [0.5, 1.0])), {
            "against": "real", "shown": x, "rpm": True, "axes": new_axes}),
        "FrequencyResponse, other": (drawn(lambda: rt.frequency_response(rt.linearize(rest()), f, x, [0.5, 1.0])), {
            "against": x, "shown": x, "rpm": True, "axes": new_axes}),
        "Equilibria": (drawn(lambda: rt.equilibria(swing(), {})), {"against": phi, "shown": phi, "rpm": True, "axes": new_axes}),
    },
    "reduce": {"LinearModel": (lambda **g: rt.reduce(rt.linearize(sweep().single(0)), **{"modes": 1, **g}).basis, {"modes": 2, "order": 1, "interface": [x]}),
               "StateSpace": (lambda **g: rt.reduce(rt.state_space(rt.linearize(rt.equilibrium(driven_spring().changed(forces={x: f}), V))), **{"order": 1, **g}).reduced.A, {"modes": 1, "order": 2, "interface": [x]})},
    "report": {"System": (lambda tmp_path, **g: str(hash(rt.report(spring(), **({"path": tmp_path / "page.html", "values": {"k": 4.0}} | g)).read_text())), {"path": "no_folder/page.html", "values": {"k": 50.0}, "study": 1, "command": "a line of a command", "progress": complain}),
               "Model": (page, {"path": "no_folder/page.html", "values": {"k": 50.0}, "study": 1, "command": "a line of a command", "progress": complain})},
    "rotation": {"object": (lambda **g: rt.rotation(phi, **g), {"axis": [0, 0, 1]})},
    "routhian": {"System": (lambda **g: str(rt.routhian(turning(), phi, **g)), {"simplify": BAD})},
    "save": {
        "Model": (lambda tmp_path, **g: rt.save(model(), tmp_path / "a.toml", **g).read_text(), {"values": {"k": 50.0}}),
        "System": (lambda tmp_path, **g: rt.save(spring(), tmp_path / "a.toml", **g).read_text(), {"values": V}),
    },
    "simulate": {
        "System": (told(spring(kinetic=(1 + x**2) * ddt(x) ** 2 / 2), V), {
            "inputs": {f: 1.0}, "events": rt.event(x - 0.5, stop=True), "method": "radau", "rtol": 1e-4,
            "atol": 1e-3, "stabilize": BAD, "check": BAD, "form": "hamilton", "regularize": 0.1,
            "variations": BAD, "progress": BAD, "engine": "cc", "keep": "lst", "modes": BAD}),
        "friction": (told(rubbing(), V), {
            "inputs": {f: 1.0}, "events": rt.event(x - 0.5, stop=True), "method": BAD, "rtol": 1e-4,
            "atol": 1e-3, "stabilize": BAD, "check": True, "form": "hamilton", "regularize": 0.1,
            "variations": True, "progress": BAD, "engine": "cc", "keep": "lst", "modes": BAD}),
        "batch": (told(spring(kinetic=(1 + x**2) * ddt(x) ** 2 / 2), {"k": [4.0, 5.0]}), {
            "inputs": {f: 1.0}, "events": rt.event(x - 0.5, stop=True), "method": "radau", "rtol": 1e-4,
            "atol": 1e-3, "stabilize": BAD, "check": BAD, "form": "hamilton", "regularize": 0.1,
            "variations": BAD, "progress": BAD, "engine": "cc", "keep": "lst", "modes": BAD}),
    },
    "space": {"str": (lambda **g: rt.space("s", 0, 1, **g)._repr_latex_(), {"latex": "S"})},
    "from_sympy": {"LagrangesMethod": (lambda **g: repr(rt.from_sympy(oscillator(), **g)), {"name": "swing"})},
    "rigid_body": {"object": (lambda **g: str(rt.rigid_body(1, **{"inertia": 2, "r": [x, y], "R": phi, **g})), {
        "inertia": 3, "r": [x, 0], "R": 2 * phi})},
    "spring": {"object": (lambda **g: rt.spring(1, x, **g), {"b": y, "rest": 1})},
    "stability": {"LinearModel": (lambda **g: str(rt.stability(rt.linearize(rest()), **g).proven), {"proven": True, "engine": "cc"}),
                  "batch": (lambda **g: str(rt.stability(rt.linearize(sweep()), **g).proven), {"proven": True, "engine": "cc"})},
    "stability_map": {"System": (lambda **g: str(rt.stability_map(turning().changed(potential=(k + c * x**2) * (x - 1) ** 2 / 2), {"k": [4.0, 5.0], "c": [0.0, 1.0]}, **{"guess": {x: 1}, **g}).rest.q.tolist()), {
        "guess": {x: 1, phi: 1.0}, "inputs": {f: 1.0}, "speeds": {phi: 0.7}, "engine": "cc"})},
    "sweep": {"System": (study, {
        "over": {"k": [3.0]}, "find": ["frequencies"], "to": "/nowhere/at/all.zarr", "workers": 0, "design": "points",
        "points": 3, "seed": 1, "guess": {x: 2.0, phi: 1.0}, "inputs": {f: 1.0}, "speeds": {phi: 0.7}, "momenta": {phi: 0.7},
        "start": {x: 1.0}, "times": TIMES, "period": 1.0, "engine": "cc", "progress": BAD})},
    "state_space": {"LinearModel": (lambda **g: rt.state_space(rt.linearize(rest()), **g).C, {"outputs": [2 * x]}),
                    "batch": (lambda **g: rt.state_space(rt.linearize(sweep()), **g).C, {"outputs": [2 * x]})},
    "stick_zone": {"System": (lambda **g: str(rt.stick_zone(rubbing(), V, **g)), {"guess": {y: 1.0}, "inputs": {f: 1.0}})},
    "variable_mass": {"object": (lambda **g: str(rt.variable_mass(x, [x, 0], **{"accretion": "momentum", "intake": [0, 0], **g})), {
        "accretion": "energy", "intake": [1, 0]})},
    "System": {"new": (lambda **g: written(**{**BASE, **g}), {
        "kinetic": ddt(x) ** 2, "potential": x**4, "lagrangian": x, "dissipation": ddt(x) ** 2, "forces": {x: f},
        "constraints": [x - 1], "friction": rt.friction(ddt(x), static=1), "coordinates": [y],
        "name": "block", "declared": [rt.parameter("mu")], "requirements": BAD, "discretization": BAD})},
    "Elements": {"new": (lambda **g: str(rt.Elements(**{"count": 3, **g})), {"count": 4})},
    "energies.damper": {"object": (lambda **g: rt.energies.damper(1, x, **g), {"b": y})},
    "energies.rigid_body": {"object": (lambda **g: str(rt.energies.rigid_body(1, **{"inertia": 2, "r": [x, y], "R": phi, **g})), {
        "inertia": 3, "r": [x, 0], "R": 2 * phi})},
    "energies.spring": {"object": (lambda **g: rt.energies.spring(1, x, **g), {"b": y, "rest": 1})},
    "energies.euler_bernoulli": {"Field": (lambda **g: str(rt.energies.euler_bernoulli(u, 1, 1, **g)), {"axial": 2, "rotary": 3})},
    "energies.rayleigh": {"Field": (lambda **g: str(rt.energies.rayleigh(u, 1, 1, 1, **g)), {"axial": 2})},
    "energies.timoshenko": {"Field": (lambda **g: str(rt.energies.timoshenko(u, rt.field("p", over=s), 1, 1, 1, 1, **g)), {"axial": 2})},
}  # fmt: skip

REFUSED_WITHOUT = {("linearize", "Equilibrium")}
"""Calls that need their keyword. The parts of `models` are left out: their keywords are numbers of
formulas, which their own tests hold."""


def functions():
    """All public functions and classes with keywords, by name."""
    found = {}
    for name in rt.__all__:
        each = getattr(rt, name)
        if isinstance(each, ModuleType) and name != "models":
            inside = vars(each).items()
            found |= {f"{name}.{n}": g for n, g in inside if inspect.isfunction(g) and n[0] != "_" and g.__module__ == each.__name__}  # fmt: skip
        elif (inspect.isfunction(each) and each.__module__.startswith("routh")) or name in (
            "System",
            "Elements",
        ):
            found[name] = each
    return found


def keywords(function):
    """What may be left out, or is given by name only."""
    named = inspect.signature(function).parameters.values()
    optional = [p.name for p in named if p.default is not p.empty or p.kind is p.KEYWORD_ONLY]
    return optional or (["count"] if function is rt.Elements else [])


def kinds(function):
    """The kinds of a first argument that are classes of results, as annotated."""
    first = next(iter(inspect.signature(function).parameters.values()))
    parts = [part.strip() for part in str(first.annotation).split("|")]
    results = {
        "System",
        "Equilibrium",
        "Trajectory",
        "StickSlip",
        "PeriodicMotion",
        "LinearModel",
        "Model",
    }
    return results & set(parts) if function is not rt.System else set()


def test_the_table_has_every_keyword_of_every_function_and_kind():
    missing = []
    for name, function in functions().items():
        wanted = set(keywords(function))
        if not wanted:
            continue
        rows = TABLE.get(name, {})
        if not rows or not kinds(function) <= set(rows):
            missing.append((name, "kinds", kinds(function) - set(rows)))
        missing += [
            (name, kind, wanted - set(given))
            for kind, (_, given) in rows.items()
            if wanted - set(given)
        ]
        missing += [
            (name, kind, set(given) - wanted)
            for kind, (_, given) in rows.items()
            if set(given) - wanted
        ]
    assert not missing
    assert set(TABLE) <= set(functions())


ERRORS = ("DeclarationError", "DerivationError", "SolveError", "NoEquilibrium")


def outcome(call, given):
    """The result as text, or the error."""
    try:
        return np.array2string(np.asarray(call(**given)), precision=17, threshold=10**6)
    except rt.RouthError as error:
        return f"{type(error).__name__}: {error}"


@cache
def alone(name, kind):
    """The outcome without any keyword."""
    return outcome(TABLE[name][kind][0], {})


CASES = [
    pytest.param(name, kind, keyword, id=f"{name}-{kind}-{keyword}",
                 marks=[pytest.mark.slow] if name in ("report", "animate", "plot", "equilibria") else [])
    for name, rows in TABLE.items() for kind, (_, given) in rows.items() for keyword in given
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "keyword"), CASES)
def test_every_keyword_is_read_or_refused(name, kind, keyword, tmp_path):
    call, values = TABLE[name][kind]
    value = values[keyword]
    value = value() if value is new_axes else value
    more = {"tmp_path": tmp_path} if "tmp_path" in inspect.signature(call).parameters else {}
    without = alone(name, kind) if not more else outcome(call, more)
    told = outcome(call, {**more, keyword: value})
    if (name, kind) not in REFUSED_WITHOUT:
        assert not without.startswith(ERRORS)
    assert told != without
    if value is BAD:
        assert told.startswith(ERRORS)
