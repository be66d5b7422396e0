"""What pages of the gallery execute: a model looked at as its report does, a script played."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path
from typing import Any

import routh as rt
from routh.cli.checked import findings
from routh.display.report.figures import Drawn
from routh.display.report.findings import Findings, slipping
from routh.display.report.items import Picture

from .gallery_drawings import draw

EXAMPLES = Path(__file__).parents[3] / "examples"

FEW = 4
"""Equilibria of a model that are told, and frequencies of each."""

LONG = {"monte_carlo_pendulum", "optimal_kite_loop", "periodic_million_points",
        "study_unround_shaft"}  # fmt: skip
"""Scripts of which only the first part is played: the rest takes long."""


class Html:
    """HTML that a page shows."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_html_(self) -> str:
        return self.text


@cache
def _looked_at(name: str) -> Findings:
    return findings(rt.load(EXAMPLES / "models" / f"{name}.toml"), None)


def mechanism(name: str) -> Html | None:
    """The mechanism with its names, or nothing where a model has no drawing."""
    for item in Drawn(_looked_at(name)).mechanism():
        if isinstance(item, Picture):
            return Html(f"<figure>{item.draw()}<figcaption>{item.caption}</figcaption></figure>")
    return None


def equations(name: str) -> Any:
    """The equations of motion."""
    return rt.equations(slipping(_looked_at(name).model.system))


def rests(name: str) -> None:
    """Say where a model rests, its frequencies there, and the verdicts; or why it does not rest."""
    found = _looked_at(name)
    if isinstance(found.rests, str):
        print(found.rests)
        return
    for k, rest in enumerate(found.rests[:FEW]):
        print(f"At {found.place(rest) or 'rest'}: {found.verdicts[k]}")
        modes = found.models[k]
        moving = [] if isinstance(modes, str) else [f"{w:.6g}" for w in modes.frequencies if w > 0]
        if moving:
            print(f"Frequencies in rad/s: {', '.join(moving[:FEW])}")
    if len(found.rests) > FEW:
        print(f"{len(found.rests) - FEW} more.")


def motion(name: str) -> None:
    """Draw the motion from the start, and say how it ended."""
    found = _looked_at(name)
    moved = found.motion
    if isinstance(moved, str):
        print(moved)
        return
    print(moved.message)
    rt.plot(moved, shown=found.shown or None)


def play(name: str) -> None:
    """Run a script as a person would; what it prints and draws is shown.

    A script that draws nothing gets the picture of its most telling result.
    """
    import matplotlib.pyplot as plt  # noqa: PLC0415  # loads long

    run = "gallery" if name in LONG else "__main__"
    names = runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name=run)
    if not plt.get_fignums():
        draw(name, names)
