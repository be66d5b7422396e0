"""The letters of chapters on derivatives by parameters, and formulas that are written with them."""

from __future__ import annotations

import re
from string import Template

import sympy

from routh.language.system import System
from routh.lecture.free_letters import FreeLetters, Role, taken_names
from routh.lecture.linearized.matrix_letters import ROLES
from routh.mechanics.forms.chapter import Formula, Step
from routh.mechanics.forms.printing import latex, text

_OWN = {name: ROLES[name] for name in ("M", "D", "G", "K", "H", "lambda")} | {
    "s": Role("an eigenvalue", ("sigma", "s_exp")),
    "p": Role("a parameter", ("a", "alpha", "p_par")),
    "E": Role("the column of the equations of rest", ("E_rest",)),
    "chi": Role("the right eigenvector", ("chi_right",)),
    "psi": Role("the left eigenvector", ("psi_left",)),
}


class SensitivityLetters:
    """Formulas with `$M`, `$s` and so on in the places of letters, free of those of the system."""

    def __init__(self, system: System) -> None:
        self._letters = FreeLetters(_OWN, taken_names(system))
        drawn = {name: self._letters(name) for name in _OWN}
        self._texts = {name: each.text for name, each in drawn.items()}
        self._latex = {name: each.latex for name, each in drawn.items()}

    def __call__(self, words: str, in_latex: str, **more: sympy.Basic) -> Formula:
        """A formula; `more` are symbols of the system, each in the place of its name there."""
        texts = self._texts | {name: text(x) for name, x in more.items()}
        drawn = self._latex | {name: latex(x) for name, x in more.items()}
        return Formula(Template(words).substitute(texts), Template(in_latex).substitute(drawn))

    def sentence(self, words: str) -> str:
        """A sentence with letters."""
        return Template(words).substitute(self._texts)

    def told(self, sections: list[tuple[str, list[Step]]]) -> list[tuple[str, list[Step]]]:
        """Sections after a first one on the letters that gave way, where some did."""
        every = " ".join(str(step) for _, steps in sections for step in steps)
        remarks: list[Step] = [
            self._letters.remark(letter)
            for letter, name in self._letters.instead.items()
            if re.search(rf"(?<![A-Za-z])d?{name}(?![A-Za-z])", every)
        ]
        return [("Letters", remarks), *sections] if remarks else sections
