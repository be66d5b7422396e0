"""Figures of a report: the mechanism, films of modes and of the motion, curves, as text for HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from routh.analysis.linear.outputs import plain_outputs
from routh.analysis.linear.response import FrequencyResponse
from routh.analysis.motion.phases import StickSlip
from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.periodic.multipliers import Floquet
from routh.analysis.stability.natural_modes import Modes
from routh.analysis.stability.verdict import Verdict
from routh.display.pictures.animate import Animation
from routh.display.pictures.bifurcation import bifurcation_diagram
from routh.display.pictures.elastic import mode_shapes
from routh.display.pictures.films import FRAMES, mode_film, mode_moments, motion_film
from routh.display.pictures.mechanism import Parts, mechanism, places_along, still, trails
from routh.display.pictures.motions import MOST, error_diagram, motion_diagram
from routh.display.pictures.repeating import bode, unit_circle
from routh.display.pictures.spectra import campbell_diagram, is_speed, root_locus
from routh.display.pictures.studies_drawn import study_diagram
from routh.display.report.every_branch import Diagram
from routh.display.report.findings import Findings
from routh.display.report.items import Film, Gallery, Item, Picture, Words
from routh.display.report.svg import as_svg
from routh.errors import RouthError
from routh.files.drawn import Drawing
from routh.kernels.engine import Point
from routh.language.fields import Field
from routh.language.symbols import Signal

FILMS = 4
"""Modes of one equilibrium that are animated."""

MOMENTS = 5
"""Moments of a motion that stand for its film on paper."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Draws the figures of a report."""

    found: Findings

    @property
    def _drawing(self) -> Drawing:
        return self.found.model.drawing

    @property
    def _parts(self) -> Parts:
        return Parts.of(self._drawing)

    @property
    def _title(self) -> str:
        return self.found.model.name or "the model"

    def mechanism(self) -> Iterator[Item]:
        """The mechanism with the names of its lengths and coordinates, pale where it rests."""
        found = self.found
        if self._drawing.is_empty:
            return
        motion = found.motion
        if isinstance(motion, str):
            return
        rests = found.rests
        start = _at(motion.point(), 0)
        chosen = None if isinstance(rests, str) or not rests else self._first_stable(len(rests))
        rest = None if chosen is None or isinstance(rests, str) else rests[chosen].point()
        title = f"The mechanism of {self._title} with its coordinates"
        try:
            svg, moved = mechanism(found.system, self._parts, start, rest, title)
        except RouthError as error:
            yield Words(str(error), aside=True)
            return
        at = "displaced, so that its coordinates are seen" if moved else "at the start"
        pale = "" if chosen is None else f"; pale, at rest in equilibrium {chosen + 1}"
        yield Picture(lambda: svg, f"The mechanism {at}{pale}.")

    def _first_stable(self, count: int) -> int:
        """The first equilibrium that is stable, or the first."""
        good = (Verdict.STABLE, Verdict.ASYMPTOTICALLY_STABLE)
        judged = enumerate(self.found.verdicts[:count])
        return next((k for k, v in judged if not isinstance(v, str) and v.verdict in good), 0)

    def modes(self, each: Modes, number: int) -> Iterator[Item]:
        """Films of the first modes that oscillate, and shapes of fields."""
        oscillating = [k for k in range(len(each.frequencies)) if each.frequencies[k] > 0][:FILMS]
        if not self._drawing.is_empty and oscillating:
            yield Gallery(tuple(self._mode_film(each, k, number) for k in oscillating), wide=False)
        fields = tuple(dict.fromkeys(shape.field for shape in each.linear.system.shapes))
        pictures = [
            Picture(
                lambda w=w: as_svg(mode_shapes(each, w, None), f"Mode shapes of {w}"),  # type: ignore[misc]
                f"The first modes of `{w}`, about the shape at rest.",
            )
            for w in fields
        ]
        if pictures:
            yield Gallery(tuple(pictures))

    def _mode_film(self, each: Modes, k: int, number: int) -> Film:
        w = float(each.frequencies[k])
        unsure = each.converged is not None and not each.converged[k]
        damped = abs(each.eigenvalues[2 * k].real) > 1e-6 * w
        told = (
            f"Mode {k + 1} about equilibrium {number}: {w:.5g} rad/s, a period of {2 * np.pi / w:.4g} s"
        )
        told += ", drawn without its growth or decay" if damped else ""
        told += ", not converged" if unsure else ""
        along = cache(partial(mode_moments, each, k, self._parts))

        def play() -> str:
            return _framed(mode_film(each, k, self._parts, along()), 300)

        def on_paper() -> str:
            moments = along()
            return still([moments[FRAMES // 2], moments[FRAMES // 4], moments[0]], [], told, 180.0)

        return Film(play, on_paper, told + ".")

    def response(self, found: FrequencyResponse, number: int) -> Iterator[Item]:
        """A Bode plot."""
        told = f"Frequency response to {found.input} about equilibrium {number}"
        yield Picture(
            lambda: as_svg(bode(found), told),
            f"Frequency response to `{found.input}` about equilibrium {number}: sizes in full lines,"
            " phases broken.",
        )

    def along(self, parameter: str, swept: Modes) -> Iterator[Item]:
        """Frequencies and eigenvalues along a parameter."""
        speed = is_speed(swept, parameter)
        kind = "Campbell diagram" if speed else f"Frequencies along {parameter}"
        over = (
            "Campbell diagram: frequencies of the modes"
            if speed
            else f"Frequencies along `{parameter}`"
        )
        yield Gallery(
            (
                Picture(
                    lambda: as_svg(campbell_diagram(swept, parameter), kind),
                    f"{over}; where a mode grows its line is dotted.",
                ),
                Picture(
                    lambda: as_svg(root_locus(swept), f"Eigenvalues along {parameter}"),
                    f"Eigenvalues in the complex plane along `{parameter}`.",
                ),
            )
        )

    def branches(self, found: Diagram) -> Iterator[Item]:
        """The bifurcation diagram."""
        name = found.branches[0].parameter
        told = f"Bifurcation diagram: equilibria over {name}"
        unit = self.found.model.units.get(str(name), "")

        def draw() -> str:
            axes = bifurcation_diagram(found.branches)
            if unit:
                axes.set_xlabel(f"{axes.get_xlabel()} in {unit}")
            return as_svg(axes, told)

        over = f"Bifurcation diagram: equilibria over `{name}`"
        yield Picture(draw, f"{over}; full where they are stable, broken where they are not.")

    def multipliers(self, found: Floquet) -> Iterator[Item]:
        """The multipliers in the complex plane."""
        told = "Floquet's multipliers in the complex plane, with the unit circle"
        yield Picture(lambda: as_svg(unit_circle(found), told), f"{told}.")

    def study(self, study: Any) -> Iterator[Item]:
        """The picture that `plot` draws of a study, or why there is none."""
        title = str(study.attrs["title"])
        try:
            svg = as_svg(study_diagram(study, None, None, None), title)
        except RouthError as error:
            yield Words(str(error), aside=True)
            return
        yield Picture(lambda: svg, f"{title}.")

    def motion(self, motion: Trajectory | StickSlip) -> Iterator[Item]:
        """The film, curves over time, a phase portrait of the first coordinate, and errors."""
        if not self._drawing.is_empty:
            told = f"The motion of {self._title}, from {motion.t[0]:.4g} to {motion.t[-1]:.4g} s"
            yield Film(
                lambda: self._motion_film(motion),
                lambda: self._motion_still(motion, told),
                f"{told}.",
                wide=True,
            )
        yield Gallery(tuple(self._curves(motion)))

    def _motion_film(self, motion: Trajectory | StickSlip) -> str:
        return _framed(motion_film(motion, self._drawing), 420)

    def _motion_still(self, motion: Trajectory | StickSlip, told: str) -> str:
        """The first moments of a motion over each other, and the ways of its points."""
        point, parts = motion.point(), self._parts
        chosen = np.unique(np.linspace(0, len(motion.t) - 1, 400).round().astype(int))
        every = places_along(motion.system, parts, _at(point, chosen))
        shown = [every[k] for k in np.linspace(0, len(every) - 1, MOMENTS).round().astype(int)][::-1]
        return still(shown, trails(every), told, 260.0)

    def _curves(self, motion: Trajectory | StickSlip) -> Iterator[Picture]:
        units = self.found.model.units
        plain = plain_outputs(motion.system)
        first = plain[0]

        def over_time(unit: str, shown: list[Any]) -> str:
            axes = motion_diagram(motion, None, shown, None)
            axes.set_xlabel("$t$ in s")
            if unit:
                axes.set_ylabel(f"{axes.get_ylabel()} in {unit}".strip())
            return as_svg(axes, "Curves over time")

        def portrait() -> str:
            axes = motion_diagram(motion, first, first.rate, None)
            unit = _unit(first, units)
            if unit:
                axes.set_xlabel(f"{axes.get_xlabel()} in {unit}")
                axes.set_ylabel(f"{axes.get_ylabel()} in {unit}/s")
            return as_svg(axes, f"Phase portrait of {first}")

        for unit, shown in _by_unit(self.found.shown or plain[:MOST], units):
            names = ", ".join(f"`{each}`" for each in shown)
            yield Picture(partial(over_time, unit, shown), f"Along the motion: {names}.")
        yield Picture(portrait, f"Phase portrait of `{first}`.")
        if isinstance(motion, Trajectory):
            yield Picture(
                lambda: as_svg(error_diagram(motion), "Errors over time"), "Errors along the motion."
            )


def _by_unit(shown: list[Any], units: Mapping[str, str]) -> list[tuple[str, list[Any]]]:
    """What is shown of a motion, each unit on axes of its own."""
    found: dict[str, list[Any]] = {}
    for each in shown:
        found.setdefault(_unit(each, units), []).append(each)
    return list(found.items())


def _unit(each: Any, units: Mapping[str, str]) -> str:
    """The unit of a coordinate, of a field or of a rate of them; nothing where that is not known."""
    if not isinstance(each, Signal) or each.order > 2 or (isinstance(each, Field) and each.slope):
        return ""
    unit = units.get(each.base.label, "")
    return unit + ("", "/s", "/s^2")[each.order] if unit else ""


def _at(point: Point, chosen: Any) -> Point:
    """Some points of a stack."""
    return Point(*(argument[np.atleast_1d(chosen)] for argument in point.arguments))


def _framed(film: Animation, height: int) -> str:
    return film._repr_html_().replace("height:460px", f"height:{height}px")
