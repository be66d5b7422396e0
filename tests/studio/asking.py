"""Asking for answers as a worker does, without one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from routh.studio.answers.table import ASKS
from routh.studio.bench import Bench

MODELS = Path(__file__).parents[2] / "examples" / "models"


def text_of(name: str) -> str:
    return (MODELS / f"{name}.toml").read_text(encoding="utf-8")


def ask(kind: str, text: str, bench: Bench | None = None, /, **about: Any) -> dict[str, Any]:
    """The final answer, which must be what JSON can say; parts are looked at by `parts`."""
    return parts(kind, text, bench, **about)[-1]


def parts(kind: str, text: str, bench: Bench | None = None, /, **about: Any) -> list[dict[str, Any]]:
    found = ASKS[kind](bench or Bench(), {"text": text, **about})
    every = list(found) if isinstance(found, Iterator) else [found]
    assert json.loads(json.dumps(every, allow_nan=False)) == every
    return every


def chain(links: int) -> str:
    """A chain of rods with springs and dampers in its joints, pushed at the first."""
    every = range(1, links + 1)
    places = ['r1 = "l*[sin(q1), -cos(q1)]"']
    places += [f'r{i} = "r{i - 1} + l*[sin(q{i}), -cos(q{i})]"' for i in every if i > 1]
    bends = ["q1"] + [f"(q{i} - q{i - 1})" for i in every if i > 1]
    rates = ["q1'"] + [f"(q{i}' - q{i - 1}')" for i in every if i > 1]
    kinetic = [f"m/2*norm2(r{i}')" for i in every]
    potential = [f"m*g*r{i}[2]" for i in every] + [f"c/2*{bend}^2" for bend in bends]
    names = "\n".join(f"q{i} = {{start = 0.1}}" for i in every)
    return f"""name = "chain"
[coordinates]
{names}
[parameters]
m = 1
l = 0.5
g = 9.81
c = {{value = 20, range = [1, 50]}}
d = 0.3
[inputs]
u = {{}}
[points]
{chr(10).join(places)}
[energy]
kinetic = {json.dumps(kinetic)}
potential = {json.dumps(potential)}
dissipation = {json.dumps([f"d/2*{rate}^2" for rate in rates])}
[[forces]]
on = "q1"
value = "u"
[drawing]
masses = {json.dumps([f"r{i}" for i in every])}
lines = [{json.dumps(["[0, 0]", *(f"r{i}" for i in every)])}]
"""
