"""The chapter on a normal form: modes, what they excite in second order, what comes back in third."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import sympy

from routh.analysis.expansion.normal_form import NEAR, NormalForm
from routh.arrays import Array
from routh.errors import listed
from routh.lecture.kinds import chapter_of
from routh.lecture.transformed.polynomials import SHORTEST_LIST, energy_part
from routh.lecture.transformed.wording import number, numbers, table, titled
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula

MOST_MODES = 6
"""Modes of which every step is written; of others the result alone."""


@chapter_of.register
def normal_form_chapter(found: NormalForm) -> Chapter:
    """From the modes to the frequency of each at some amplitude."""
    told = _Told(found)
    sections = [
        ("Modes", list(told.modes())),
        ("Equations of the amplitudes", list(told.amplitudes())),
        ("What can be transformed away", list(told.homological())),
        ("Second order", list(told.second())),
        ("Third order", list(told.third())),
        ("Backbone curves", list(told.backbone())),
        ("Resonances", list(told.resonances())),
    ]
    return chapter(titled(found.system, "normal form about the rest"), sections)


@dataclass(frozen=True, eq=False)
class _Told:
    """What is said of a normal form, section by section."""

    found: NormalForm

    @property
    def count(self) -> int:
        return min(len(self.found.frequencies), MOST_MODES)

    def modes(self) -> Iterator[Step]:
        """The diagonal form of the linear equations."""
        found = self.found
        yield "The linear equations have the matrices"
        yield numbers("M", found.M)
        yield numbers("K", found.K)
        yield (
            "and modes x = shape * cos(omega t) with K shape = omega^2 M shape. Shapes are scaled so"
            " that the coordinate that moves most moves by 1; it measures the amplitude A."
        )
        head = ["mode", "omega", "measured by", *(formula(q) for q in found.system.coordinates)]
        yield table(
            head,
            (
                [
                    str(k + 1),
                    number(found.frequencies[k]),
                    formula(found.measure[k]),
                    *(number(x) for x in found.shapes[:, k]),
                ]
                for k in range(self.count)
            ),
        )

    def amplitudes(self) -> Iterator[Step]:
        """L in amplitudes of modes: diagonal in second degree, coupled in third and fourth."""
        found = self.found
        r = self.count
        if r < len(found.frequencies):
            yield f"Of {len(found.frequencies)} modes the first {r} are written."
        a = [sympy.Symbol(f"a{k + 1}") for k in range(r)]
        rates = [sympy.Symbol(f"a{k + 1}'") for k in range(r)]
        yield "With deviations that are sums of shapes times amplitudes a, L has the parts"
        for degree in (2, 3, 4):
            own = energy_part(found.expansion, degree, [*a, *rates], found.shapes[:, :r])
            left = Formula(f"L^({degree})", f"L^{{({degree})}}")
            if own is None:
                yield f"L^({degree}), which has more than {SHORTEST_LIST} terms,"
            else:
                yield formula(left, own)
        yield (
            "That of second degree is diagonal: each amplitude swings by itself. The others couple"
            " them, and make frequencies depend on amplitudes."
        )

    def homological(self) -> Iterator[Step]:
        """Which terms a near-identity transformation removes."""
        yield (
            "What the equations of motion have beyond the linear terms is brought to the right side,"
            " where it acts on the linear system like a force f:"
        )
        yield Formula("M x'' + K x = f", r"M \ddot{x} + K x = f")
        yield (
            "A change of coordinates x = y + P2(y) + P3(y), near the identity, is chosen degree by"
            " degree to remove what it can. A term of f that goes with the frequency Omega, a sum or"
            " difference of those of the modes in it, is removed by a deviation u that solves the"
            " homological equation"
        )
        yield Formula("(K - Omega^2 M) u = f", r"\left(K - \Omega^2 M\right) u = f")
        yield (
            "It can be solved unless Omega is the frequency of a mode that f drives. Such a term is"
            " resonant and stays. Of second degree are Omega = 0 and 2 omega along one mode; of third"
            " degree omega + omega - omega = omega is resonant whatever omega is, and stays."
        )

    def second(self) -> Iterator[Step]:
        """What a mode excites with its mean and twice its frequency."""
        for k in range(self.count):
            steps, w = self.found.steps[k], float(self.found.frequencies[k])
            if self._is_quiet(k):
                yield f"Along mode {k + 1} quadratic terms vanish: it excites nothing in second order."
                continue
            yield f"Mode {k + 1} with amplitude 1, x = shape cos({w:.6g} t), meets the quadratic force"
            yield _waves("f", (-steps.mean_force, -steps.cosine_force, -steps.sine_force), 2 * w)
            if steps.mean is None or steps.cosine is None or steps.sine is None:
                yield (
                    f"which drives another mode exactly at its frequency, in {steps.exact} resonance:"
                    " it cannot be removed, and the mode does not go by itself."
                )
                continue
            yield "which the homological equation removes, with Omega = 0 and Omega = 2 omega, by"
            yield _waves("u", (steps.mean, steps.cosine, steps.sine), 2 * w)

    def _is_quiet(self, k: int) -> bool:
        """Whether quadratic terms vanish along a mode."""
        steps = self.found.steps[k]
        scale = float(np.abs(np.diag(self.found.K)).max())
        forces = (steps.mean_force, steps.cosine_force, steps.sine_force)
        return all(np.abs(each).max() <= 1e-12 * scale for each in forces)

    def third(self) -> Iterator[Step]:
        """What comes back with the frequency of the mode."""
        yield (
            "Together with u, quadratic and cubic terms give f a part F A^3 cos(omega t) with the"
            " frequency of the mode itself. Along its shape it cannot be removed; it changes the"
            " frequency: against the deviation, with shape . F below zero, it stiffens."
        )
        yield Formula(
            "shift = -shape . F / (2 omega shape . M shape)",
            r"\text{shift} = -\frac{\phi^T F}{2 \omega \, \phi^T M \phi}",
        )
        rows = []
        for k in range(self.count):
            steps = self.found.steps[k]
            if steps.back is None:
                yield (
                    f"For mode {k + 1} there is no such number: {steps.exact} resonance is exact, and"
                    " energy goes to and fro."
                )
                continue
            shape = self.found.shapes[:, k]
            mass = float(shape @ self.found.M @ shape)
            rows.append(
                [str(k + 1), number(float(-shape @ steps.back)), number(mass), number(steps.shift)]
            )
        if rows:
            yield table(["mode", "shape . F", "shape . M shape", "shift"], rows)

    def backbone(self) -> Iterator[Step]:
        """Omega over A."""
        found = self.found
        for k in range(self.count):
            w, c = float(found.frequencies[k]), float(found.shift[k])
            left = Formula(f"omega{k + 1}", rf"\omega_{{{k + 1}}}")
            if np.isnan(c):
                continue
            if abs(c) < 1e-12 * w:
                yield formula(left, number(w))
                yield f"at every amplitude of {found.measure[k]}, to this order."
                continue
            sign = "-" if c < 0 else "+"
            bend = number(abs(c))
            right = Formula(
                f"{number(w).text} {sign} {bend.text}*A^2", f"{number(w).latex} {sign} {bend.latex} A^2"
            )
            yield formula(left, right)
            kind = "softens" if c < 0 else "hardens"
            yield f"A being the amplitude of {found.measure[k]}: the mode {kind}."

    def resonances(self) -> Iterator[Step]:
        """Frequencies that nearly add up."""
        found = self.found
        if not found.resonances:
            yield (
                f"No frequency is within {NEAR:.0%} of another, of twice or three times another, or of"
                " the sum of two others: every mode goes by itself."
            )
            return
        yield (
            "Where frequencies nearly add up the divisors omega^2 - Omega^2 are small, and removing the"
            " terms that belong to them would give large deviations. Such terms are kept, and through"
            " them modes can exchange energy."
        )
        yield from (f"{str(each)[0].upper()}{str(each)[1:]}." for each in found.resonances)
        single = [str(k + 1) for k, c in enumerate(found.shift) if not np.isnan(c)]
        if all(self._is_quiet(k) for k in range(len(found.frequencies))):
            yield (
                "Along each mode quadratic terms vanish, so that none drives another at twice its"
                " frequency."
            )
        if len(single) == 1:
            yield f"The numbers above hold for motions in which mode {single[0]} moves alone."
        elif single:
            yield f"The numbers above hold while one of the modes {listed(single)} moves alone."


def _waves(name: str, parts: tuple[Array, Array, Array], frequency: float) -> Formula:
    """A mean, a cosine and a sine with their columns; those that are rounding are left out."""
    size = max(float(np.abs(each).max()) for each in parts)
    kept = [
        (each, wave)
        for each, wave in zip(parts, ("", "cos", "sin"), strict=True)
        if np.abs(each).max() > 1e-12 * size
    ]
    texts, drawn = [], []
    for each, wave in kept:
        entries = [number(0.0 if abs(x) < 1e-13 * size else x) for x in each]
        column = f"[{', '.join(e.text for e in entries)}]"
        tex = r"\begin{bmatrix} " + r" \\ ".join(e.latex for e in entries) + r" \end{bmatrix}"
        turn = number(frequency)
        texts.append(f"{column}*{wave}({turn.text}*t)" if wave else column)
        drawn.append(rf"{tex} \{wave} {turn.latex} t" if wave else tex)
    return Formula(f"{name} = {' + '.join(texts)}", rf"\text{{{name}}} = {' + '.join(drawn)}")
