"""The letters of chapters on linear equations, where the system has not taken them."""

from __future__ import annotations

import re

import sympy

from routh.language.latex_names import latex_name
from routh.language.system import System
from routh.lecture.free_letters import FreeLetters, Role, taken_names
from routh.mechanics.forms.chapter import Formula, Step

ROLES = {
    "M": Role("the mass matrix", ("M_mat",)),
    "D": Role("the matrix of damping", ("D_mat",)),
    "G": Role("the gyroscopic matrix", ("G_mat",)),
    "K": Role("the stiffness matrix", ("K_mat",)),
    "H": Role("the circulatory matrix", ("H_mat",)),
    "B": Role("the matrix of the inputs", ("B_mat",)),
    "F": Role("L_vq", ("F_mat",)),
    "J": Role("the Jacobian of the constraints", ("J_mat",)),
    "Z": Role("the basis of the admissible motions", ("Z_mat",)),
    "R": Role("the matrix of velocity constraints", ("R_mat",)),
    "W": Role("what velocity constraints take of positions", ("W_mat",)),
    "s": Role("the variable of the characteristic polynomial", ("p", "sigma", "s_exp")),
    "eta": Role("the column of the deviations", ("xi", "zeta", "eta_dev"), numbered=True),
    "mu": Role("the column of the forces of velocity constraints", ("nu", "mu_vel"), numbered=True),
    "lambda": Role("the column of the multipliers", ("lambda_all",)),
}


class MatrixLetters:
    """The letters of a chapter on small motions of a system, free of those that it has."""

    def __init__(self, system: System) -> None:
        self._letters = FreeLetters(ROLES, taken_names(system))
        self.variable = sympy.Symbol(self._letters.name("s"))

    def __call__(self, own: Formula | str) -> Formula:
        """A formula of letters of the chapter alone, with those that it has instead."""
        given = Formula(own, own) if isinstance(own, str) else own
        return Formula(self._told(given.text), self._drawn(given.latex))

    def name(self, letter: str) -> str:
        """What a letter of the chapter is called."""
        return self._letters.name(letter)

    def sentence(self, words: str) -> str:
        """A sentence; what stands in backticks belongs to the system."""
        pieces = words.split("`")
        return "`".join(x if k % 2 else self._told(x) for k, x in enumerate(pieces))

    def told(self, sections: list[tuple[str, list[Step]]]) -> list[tuple[str, list[Step]]]:
        """Sections whose sentences have the letters, and a first one that says so."""
        told: list[tuple[str, list[Step]]] = [
            (title, [self.sentence(x) if isinstance(x, str) else x for x in steps])
            for title, steps in sections
        ]
        every = " ".join(str(step) for _, steps in told for step in steps)
        remarks: list[Step] = [
            self._letters.remark(letter)
            for letter, name in self._letters.instead.items()
            if re.search(rf"(?<!\w)d?{name}\d*(?!\w)", every)
        ]
        return [("Letters", remarks), *told] if remarks else told

    def _told(self, words: str) -> str:
        """Each letter that stands alone, or behind the d of a derivative, replaced; 1/s is a unit."""
        for letter in self._letters.instead:
            pattern = rf"(?<![\w'/])(d?){letter}(\d*)(?!\w)"
            words = re.sub(pattern, rf"\g<1>{self.name(letter)}\g<2>", words)
        return words

    def _drawn(self, words: str) -> str:
        """The same in LaTeX, where Greek letters are commands."""
        for letter in self._letters.instead:
            own = latex_name(letter)
            greek = own.startswith("\\")
            pattern = rf"(){re.escape(own)}(?![A-Za-z])" if greek else rf"(?<![\w\\'/])(d?){own}(?!\w)"
            instead = self._letters(letter).latex.replace("\\", r"\\")
            words = re.sub(pattern, rf"\g<1>{instead}", words)
        return words
