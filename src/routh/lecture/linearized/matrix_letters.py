"""The letters of chapters on linear equations: others where the system has taken them.

Where a mass is called `M` or an arc length `s`, the matrix or the variable of the characteristic
polynomial gives way, as in the lecture on the equations of motion.
"""

from __future__ import annotations

import re

import sympy

from routh.language.system import System
from routh.lecture.lagrangian.letters import taken_names
from routh.mechanics.forms.chapter import Formula, Step

_MATRICES = {
    "M": "the mass matrix",
    "D": "the matrix of damping",
    "G": "the gyroscopic matrix",
    "K": "the stiffness matrix",
    "H": "the circulatory matrix",
    "B": "the matrix of the inputs",
    "F": "L_vq",
    "J": "the Jacobian of the constraints",
    "Z": "the basis of the admissible motions",
    "R": "the matrix of velocity constraints",
    "W": "what velocity constraints take of positions",
}

_VARIABLES = ("s", "p", "sigma", "s_exp")
"""Names of the variable of characteristic polynomials, the first that is free."""


class MatrixLetters:
    """The letters of a chapter on small motions of a system, free of those that it has."""

    def __init__(self, system: System) -> None:
        taken = taken_names(system)
        self.variable = sympy.Symbol(next(x for x in _VARIABLES if x not in taken))
        self._new = {x: (f"{x}_mat", rf"\mathbf{{{x}}}") for x in _MATRICES if x in taken}
        if self.variable.name != "s":
            self._new["s"] = self.variable.name, sympy.latex(self.variable)

    def __call__(self, own: Formula | str) -> Formula:
        """A formula of letters of the chapter alone, with those that it has instead."""
        given = Formula(own, own) if isinstance(own, str) else own
        return Formula(self._put(given.text, 0), self._put(given.latex, 1))

    def sentence(self, words: str) -> str:
        """A sentence; what stands in backticks belongs to the system."""
        pieces = words.split("`")
        return "`".join(x if k % 2 else self._put(x, 0) for k, x in enumerate(pieces))

    def told(self, sections: list[tuple[str, list[Step]]]) -> list[tuple[str, list[Step]]]:
        """Sections whose sentences have the letters, and a first one that says so."""
        told: list[tuple[str, list[Step]]] = [
            (title, [self.sentence(x) if isinstance(x, str) else x for x in steps])
            for title, steps in sections
        ]
        return [("Letters", [*self._remarks()]), *told] if self._new else told

    def _remarks(self) -> list[Step]:
        what = {**_MATRICES, "s": "the variable of the characteristic polynomial"}
        return [
            f"The letter `{x}` belongs to the system: {what[x]} is written `{new}`."
            for x, (new, _) in self._new.items()
        ]

    def _put(self, words: str, form: int) -> str:
        """Each letter that stands alone, or behind the d of a derivative, replaced; 1/s is a unit."""
        for x, new in self._new.items():
            instead = new[form]
            words = re.sub(
                rf"(?<![\w\\'/])(d?){x}(?!\w)",
                lambda found, instead=instead: found[1] + instead,  # type: ignore[misc]
                words,
            )
        return words
