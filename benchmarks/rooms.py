"""The map of the house in numbers: modules, the longest chain of imports, and the ways of two models.

A way is what a model passes: the modules of which a function runs when it is written, brought to rest,
linearized, judged and moved.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import routh as rt
from routh import at, cos, ddt, diff, integral, norm2, sin, vector

HOUSE = Path(rt.__file__).parent


def modules() -> dict[str, Path]:
    """Every module by its name."""
    found = {}
    for path in sorted(HOUSE.rglob("*.py")):
        parts = ("routh", *path.relative_to(HOUSE).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imports(names: dict[str, Path]) -> dict[str, set[str]]:
    """What each module imports of the house, also where a function does it."""
    graph: dict[str, set[str]] = {}
    for name, path in names.items():
        graph[name] = set()
        for node in _statements(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                graph[name] |= {alias.name for alias in node.names} & names.keys()
            if isinstance(node, ast.ImportFrom) and node.module and node.module in names:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    graph[name].add(inner if inner in names else node.module)
    return graph


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Every statement, also those inside of others; expressions hold none."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            yield node
            yield from _statements(node)


def longest_chain(graph: dict[str, set[str]]) -> list[str]:
    """The longest way down the imports, rings left out."""
    found: dict[str, tuple[str, ...]] = {}

    def seen(name: str) -> tuple[str, ...]:
        if name not in found:
            found[name] = ()  # cuts rings
            deepest = max((seen(other) for other in graph[name] - {name}), key=len, default=())
            found[name] = (name, *deepest)
        return found[name]

    return list(max((seen(name) for name in graph if name != "routh"), key=len))


Walk = Callable[[], Iterator[str]]
"""A way through the house: names the verb that comes next, again and again."""


def crossed(walk: Walk) -> dict[str, set[str]]:
    """For each verb of a walk the modules of which a function runs."""
    files: dict[str, set[str]] = {}
    now = ""

    def look(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            files.setdefault(now, set()).add(frame.f_code.co_filename)

    for _ in walk():
        pass  # what is loaded late is loaded
    steps = walk()
    now = next(steps)
    sys.setprofile(look)
    try:
        for verb in steps:
            now = verb
    finally:
        sys.setprofile(None)
    names = modules()
    return {
        verb: {name for name, path in names.items() if str(path) in found}
        for verb, found in files.items()
    }


def double_pendulum() -> Iterator[str]:
    yield "System"
    theta, phi = rt.coordinates("theta phi")
    m, l, g = rt.parameters("m l g")
    upper = l * vector(sin(theta), -cos(theta))
    lower = upper + l * vector(sin(phi), -cos(phi))
    system = rt.System(
        kinetic=m / 2 * (norm2(ddt(upper)) + norm2(ddt(lower))), potential=m * g * (upper[1] + lower[1])
    )
    yield from _verbs(system, {"m": 1, "l": 1, "g": 9.81}, {theta: 1.0})


def hub_with_beam() -> Iterator[str]:
    yield "System"
    psi, (rho, EI, J, L) = rt.coordinate("psi"), rt.parameters("rho EI J L")
    s = rt.space("s", 0, L)
    w = rt.field("w", s)
    system = rt.System(
        kinetic=J / 2 * ddt(psi) ** 2 + integral(rho / 2 * (ddt(w) + s * ddt(psi)) ** 2, s),
        potential=integral(EI / 2 * diff(w, s, 2) ** 2, s),
        constraints=[at(w, s, 0), at(diff(w, s), s, 0)],
    )
    yield "discretize"
    body = rt.discretize(system, {w: 3})
    yield from _verbs(body, {"rho": 1, "EI": 1, "J": 1, "L": 1}, {ddt(psi): 0.1})


def _verbs(system: rt.System, values: dict[str, float], start: Any) -> Iterator[str]:
    yield "equilibrium"
    rest = rt.equilibrium(system, values)
    yield "linearize"
    linear = rt.linearize(rest)
    yield "modes"
    str(rt.modes(linear))
    yield "stability"
    str(rt.stability(linear))
    yield "simulate"
    str(rt.simulate(system, values, start, [0, 0.1]))


WALKS: dict[str, Walk] = {"a double pendulum": double_pendulum, "a hub with a beam": hub_with_beam}


def main() -> None:
    names = modules()
    graph = imports(names)
    chain = longest_chain(graph)
    print(f"modules: {len(names)}, imports: {sum(map(len, graph.values()))}")
    print(f"longest chain: {len(chain)}: {' > '.join(name.removeprefix('routh.') for name in chain)}")
    for title, walk in WALKS.items():
        found = crossed(walk)
        print(f"{title} passes {len(set().union(*found.values()))} modules")
        for verb, way in found.items():
            inner = sorted(name.removeprefix("routh.") for name in way)
            print(f"    {verb} ({len(inner)}): {', '.join(inner)}")


if __name__ == "__main__":
    main()
