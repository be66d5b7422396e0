"""Arrays of results have the shapes that their annotations say, for one point, a sweep and a grid.

A shape is written as jaxtyping reads it, `Annotated[Array, "*batch n n"]`: `*batch` stands for the axes of
the batch, a word for one size throughout a result, `2*n` and `n+c` for sizes made of others.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, is_dataclass
from functools import cache, cached_property

import numpy as np
import pytest
from jaxtyping import Shaped, jaxtyped

import routh as rt
from routh import cos, ddt, sin, t
from routh.data.recording import record

STATED = re.compile(r"Annotated\[(?:[^\[\]]|\[[^\[\]]*\])*, ['\"]([^'\"]+)['\"]\]")
BARE = re.compile(r"\b(Array|Complex|Mask|NDArray|ndarray)\b")


def annotations(kind):
    """The annotation of each public attribute of a class of results, as text."""
    found = {field.name: str(field.type) for field in fields(kind)}
    for name, own in vars(kind).items():
        made = own.fget if isinstance(own, property) else getattr(own, "func", None)
        if isinstance(own, (property, cached_property)):
            found[name] = str(inspect.get_annotations(made).get("return", ""))
    return {name: text for name, text in found.items() if name[0] != "_"}


def is_bare(text):
    """Whether an annotation has an array without a shape; functions take and give what they like."""
    return bool(BARE.search(STATED.sub("", text))) and not text.startswith("Callable")


def shapes(kind):
    """The shapes that are stated for each array of a class, several where it is a tuple of arrays."""
    found = {name: STATED.findall(text) for name, text in annotations(kind).items()}
    return {name: [each.split() for each in every] for name, every in found.items() if every}


NOUNS = [getattr(rt.results, name) for name in rt.results.__all__]
RESULTS = [
    kind
    for kind in NOUNS
    if is_dataclass(kind) and any(BARE.search(text) for text in annotations(kind).values())
]
"""The nouns with arrays. Protocols have none of their own: the kinds that have what they say are held."""


@pytest.mark.parametrize("kind", RESULTS)
def test_every_array_of_a_result_states_its_shape(kind):
    assert [name for name, text in annotations(kind).items() if is_bare(text)] == []
    assert shapes(kind)


def test_nouns_with_arrays_are_found():
    assert {"Modes", "Certificate", "Occurrence", "Animation"} <= {kind.__name__ for kind in RESULTS}
    assert is_bare("tuple[Array, Array] | None")
    assert is_bare("dict[str, NDArray[np.bool_]]")
    assert not is_bare("tuple[Annotated[NDArray[np.bool_], 'k'], Annotated[Array, 'k n']] | None")


def leaves(value):
    """The arrays in a tuple, a list or a mapping of them."""
    if isinstance(value, dict):
        value = list(value.values())
    return (
        [each for part in value for each in leaves(part)]
        if isinstance(value, (list, tuple))
        else [value]
    )


def stated(found):
    """Each array of a result: its name, its shape, and the words that are stated for it."""
    texts = annotations(type(found))
    for name, every in shapes(type(found)).items():
        try:
            value = getattr(found, name)
        except rt.RouthError:  # what was not asked for, as variations of a motion
            continue
        if value is None:
            continue
        holds = re.match(r"(tuple|list|dict)\[", texts[name])
        arrays = leaves(value) if holds else [value]
        words = every if len(every) == len(arrays) else every * len(arrays)
        for array, each in zip(arrays, words, strict=True):
            yield name, np.shape(array) if not hasattr(array, "shape") else array.shape, each


def known(found):
    """The sizes that the system of a result tells."""
    holder = found if hasattr(found, "system") else getattr(found, "linear", None)
    if holder is None:
        return {}
    system = holder.system
    return {"n": len(system.coordinates), "c": len(system.constraints)}


def has_shape(shape, words):
    """Whether jaxtyping takes such an array for one of the shape that is stated."""
    return isinstance(np.broadcast_to(0.0, shape), Shaped[np.ndarray, words])


def held_to(found, batch=()):
    """All arrays of a result have the shapes that are stated, one size for one word."""
    every = sorted(stated(found), key=lambda each: any(sign in "".join(each[2]) for sign in "+2"))
    assert every
    with jaxtyped("context"):
        assert has_shape(batch, "*batch")
        for word, size in known(found).items():
            assert has_shape((size,), word)
        for name, shape, words in every:
            assert has_shape(shape, " ".join(words)), (
                f"{name} has shape {shape}, not {words}, in {batch}"
            )


x, y, phi = rt.coordinates("x y phi")
k, c, g = rt.parameters("k c g")
F = rt.input("F")
s = rt.space("s", 0, 1)
w = rt.field("w", over=s)
BATCHES = {"one": (), "sweep": (3,), "grid": (2, 3)}


def values(batch, *names):
    """Numbers for parameters: one each, or such that they span the batch."""
    every = {name: 2.0 + j for j, name in enumerate(names)}
    if len(batch) > 0:
        every[names[0]] = np.linspace(2.0, 3.0, batch[-1])
    if len(batch) > 1:
        every[names[1]] = np.linspace(1.0, 1.5, batch[0])[:, None]
    return every


@cache
def table():
    """Two coordinates, damping, an input, gyroscopic terms."""
    r = rt.rotation(k * t) @ rt.vector(x, y)
    V = 20 * (x**2 + 2 * y**2)
    return rt.System(
        kinetic=rt.norm2(ddt(r)) / 2, potential=V, dissipation=c * ddt(x) ** 2 / 2, forces={x: F}
    )


@cache
def bob():
    return rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=g * y + k * x**2 / 2,
        constraints=[(x**2 + y**2 - 4) / 2],
        forces={x: F},
    )


@cache
def skate():
    """A rolling system: a sledge that is pulled by a spring."""
    T = (ddt(x) ** 2 + ddt(y) ** 2 + ddt(phi) ** 2) / 2
    knife = ddt(x) * sin(phi) - ddt(y) * cos(phi)
    V = k * x**2 / 2 + g * phi**2 / 2
    return rt.System(kinetic=T, potential=V, constraints=[knife], forces={x: F})


def rest(system, batch):
    names = [p.name for p in system.parameters]
    guess = {y: -2.0} if system is bob() else None
    return rt.equilibrium(system, values(batch, *names), guess=guess)


def motion(system, batch, **more):
    names = [p.name for p in system.parameters]
    start = {y: -2.0, ddt(x): 0.5} if system is bob() else {x: 0.1}
    ask = {"inputs": {F: sin(t)}, "progress": False, **more}
    return rt.simulate(system, values(batch, *names), start, np.linspace(0, 0.3, 4), **ask)


BATCHED = {
    "equilibrium": lambda b: rest(table(), b),
    "equilibrium().conditions": lambda b: rest(table(), b).conditions,
    "equilibrium with a constraint": lambda b: rest(bob(), b),
    "dynamics": lambda b: rt.dynamics(
        table(), values(b, *(p.name for p in table().parameters)), {x: 0.1}
    ),
    "dynamics with a constraint": lambda b: rt.dynamics(
        bob(), values(b, *(p.name for p in bob().parameters)), {y: -2.0}
    ),
    "drift": lambda b: rt.drift(
        bob(), values(b, "g", "k"), {y: -2.0}, [0.0, 0.1], step=0.05, inputs={F: 0.0}
    ),
    "linearize": lambda b: rt.linearize(rest(table(), b)),
    "linearize with a constraint": lambda b: rt.linearize(rest(bob(), b)),
    "linearize with rolling": lambda b: rt.linearize(rest(skate(), b)),
    "linearize().descriptor": lambda b: rt.linearize(rest(bob(), b)).descriptor,
    "linearize().canonical": lambda b: rt.linearize(rest(table(), b)).canonical,
    "linearize(motion)": lambda b: rt.linearize(motion(table(), b)),
    "linearize(motion) with a constraint": lambda b: rt.linearize(motion(bob(), b)),
    "modes": lambda b: rt.modes(rt.linearize(rest(table(), b))),
    "modes, tracked": lambda b: rt.modes(rt.linearize(rest(table(), b)), track=bool(b)),
    "modes, some": lambda b: rt.modes(rt.linearize(rest(table(), b)), count=1),
    "modes, some and tracked": lambda b: rt.modes(
        rt.linearize(rest(table(), b)), count=1, track=bool(b)
    ),
    "modes of a body": lambda b: rt.modes(rt.linearize(rt.equilibrium(string(), values(b, "k", "c")))),
    "modes with a constraint": lambda b: rt.modes(rt.linearize(rest(bob(), b))),
    "stability": lambda b: rt.stability(rt.linearize(rest(table(), b))),
    "state_space": lambda b: rt.state_space(rt.linearize(rest(table(), b)), [x, ddt(y), F]),
    "state_space with rolling": lambda b: rt.state_space(rt.linearize(rest(skate(), b))),
    "controllability": lambda b: rt.controllability(rt.state_space(rt.linearize(rest(table(), b)))),
    "lqr": lambda b: rt.lqr(rt.state_space(rt.linearize(rest(table(), b))), np.eye(4), 1.0),
    "lqr along a motion": lambda b: rt.lqr(rt.linearize(motion(table(), b)), np.eye(4), 1.0),
    "observer": lambda b: rt.observer(
        rt.state_space(rt.linearize(rest(table(), b)), [x]), np.eye(4), 1.0
    ),
    "frequency_response": lambda b: rt.frequency_response(
        rt.linearize(rest(table(), b)), F, [x, y], [0.1, 0.2, 0.3, 0.4]
    ),
    "equilibrium().sensitivity": lambda b: rest(bob(), b).sensitivity(),
    "modes().sensitivity": lambda b: rt.modes(rt.linearize(rest(table(), b))).sensitivity(),
    "modes().sensitivity with a constraint": lambda b: rt.modes(
        rt.linearize(rest(bob(), b))
    ).sensitivity("k"),
    "frequency_response().sensitivity": lambda b: rt.frequency_response(
        rt.linearize(rest(table(), b)), F, [x, y], [0.1, 0.2, 0.3, 0.4]
    ).sensitivity(),
    "simulate": lambda b: motion(table(), b),
    "simulate with variations": lambda b: motion(table(), b, variations=True),
    "simulate with a constraint": lambda b: motion(bob(), b),
    "consistent": lambda b: rt.consistent(bob(), values(b, "g", "k"), {y: -1.0}, inputs={F: 0.0}),
    "floquet": lambda b: rt.floquet(parametric(), values(b, "k", "c"), np.pi),
    "hamiltonian()": lambda b: rt.hamiltonian(two(), simplify=0)(values(b, "k", "c"), {x: 1.0}, {}),
}


@cache
def parametric():
    V = (k + c / 10 * cos(2 * t)) * x**2 / 2
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=V)


@cache
def string():
    """A body of coordinates: a string on an elastic bed."""
    T = rt.integral(c * ddt(w) ** 2 / 2, s)
    V = rt.integral(k * rt.diff(w, s) ** 2 / 2 + w**2, s)
    ends = [rt.at(w, s, 0), rt.at(w, s, 1)]
    return rt.discretize(rt.System(kinetic=T, potential=V, constraints=ends), {w: 5})


@cache
def two():
    return rt.System(kinetic=(ddt(x) ** 2 + c * ddt(y) ** 2) / 2, potential=k * x**2 + y**2)


@cache
def swing():
    spring = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * (x**2 / 2 + x**4 / 4))
    return rt.periodic_motion(spring, {"k": 1.0}, {x: 0.5}, 6.0)


@cache
def rubbing():
    contact = rt.friction(ddt(x), static=1)
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=4 * x**2, friction=contact)


def large():
    """The lowest modes of a body of very many coordinates."""
    body = rt.discretize(string().continuous, {w: rt.Elements(600)})
    return rt.modes(rt.linearize(rt.equilibrium(body, {"k": 1.0, "c": 1.0})), count=3)


SINGLE = {
    "equilibria": lambda: rt.equilibria(bob(), {"k": 1.0, "g": 9.81}, {x: (-3, 3), y: (-3, 3)}),
    "reduce": lambda: rt.reduce(rt.linearize(rest(table(), ())), modes=1),
    "reduce to balanced states": lambda: rt.reduce(
        rt.state_space(rt.linearize(rest(table(), ()))), order=2
    ),
    "stability_map": lambda: rt.stability_map(
        two(), {"k": np.linspace(1, 2, 3), "c": np.linspace(1, 2, 4)}
    ),
    "follow": lambda: rt.follow(rest(table(), ()), c, 3.5),
    "follow of periodic motions": lambda: rt.follow(swing(), "amplitude", 0.52),
    "periodic_motion": swing,
    "action": lambda: rt.action(motion(table(), ()), shapes=3),
    "normal_form": lambda: rt.normal_form(rt.equilibrium(two(), {"k": 1.0, "c": 1.0})),
    "phase": lambda: rt.simulate(rubbing(), {}, {x: 1.0}, [0, 0.1]).phases[0],
    "simulate with friction": lambda: rt.simulate(
        rubbing(), {}, {x: 1.0}, np.linspace(0, 1, 5), progress=False
    ),
    "simulate().events": lambda: motion(table(), (), events=rt.event(x - 0.09)).events[0],
    "animate": lambda: rt.animate(
        motion(table(), ()), points=[(x, y), (y, x)], lines=[[(0, 0), (x, y)]]
    ),
    "stick_zone": lambda: rt.stick_zone(rubbing(), {}),
    "equilibria().certificate": lambda: rt.equilibria(
        two(), {"k": 1.0, "c": 1.0}, {x: (-3, 3), y: (-3, 3)}, certify=True
    ).certificate,
    "modes of a large body": large,
    "observer().loop": lambda: BATCHED["observer"](()).loop(),
    "a quantity of a record": lambda: record(motion(table(), ())).quantities["q"],
    "fit": lambda: rt.fit(
        table(), {"t": [0.0, 0.5, 1.0, 1.5], "x": [0.1, 0.08, 0.01, -0.06]}, {"k": 1.1}, {"c": 1.0},
        start={x: 0.1}, inputs={"F": 0},
    ),
}  # fmt: skip


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("result", BATCHED)
def test_arrays_have_the_axes_that_are_stated(result, batch):
    held_to(BATCHED[result](BATCHES[batch]), BATCHES[batch])


@pytest.mark.parametrize("result", SINGLE)
def test_arrays_of_one_result_have_the_axes_that_are_stated(result):
    held_to(SINGLE[result]())


def test_every_class_of_results_is_computed():
    made = {type(each(())) for each in BATCHED.values()} | {type(each()) for each in SINGLE.values()}
    assert made == set(RESULTS)


def test_orders_of_modes_are_held_to():
    for name in ("modes, tracked", "modes, some", "modes, some and tracked"):
        assert BATCHED[name]((3,)).order is not None
    assert large().lowest is not None


def test_a_wrong_shape_is_found():
    found = rt.linearize(rest(table(), (3,)))
    with pytest.raises(AssertionError, match="batch"):
        held_to(found, (4,))
    object.__setattr__(found, "Z", found.Z[..., :1])
    with pytest.raises(AssertionError, match="Z has shape"):
        held_to(found, (3,))
