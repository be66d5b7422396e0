"""The letters of a lecture: those of the conventions, or others where the system has taken them.

A crane has a mass `M`, a circuit an inductance `L`. A formula in which one letter stands for two things
is wrong, so that what the lecture needs gives way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from routh.language.system import System
from routh.language.walk import lets
from routh.mechanics.forms.chapter import Formula

_ROLES = {
    "q": ("the column of the coordinates", "q_all", r"\mathbf{q}"),
    "T": ("the kinetic energy", "T_kin", r"\mathcal{T}"),
    "V": ("the potential energy", "V_pot", r"\mathcal{V}"),
    "L": ("the Lagrangian", "Lag", r"\mathcal{L}"),
    "Lbar": ("the augmented Lagrangian", "Lag_bar", r"\bar{\mathcal{L}}"),
    "D": ("the Rayleigh function", "D_loss", r"\mathcal{D}"),
    "E": ("the energy", "E_tot", r"\mathcal{E}"),
    "A": ("the matrix of T2", "A(q)", "A(q)"),
    "B": ("the column of T1", "B(q)", "B(q)"),
    "C": ("twice T0", "C(q)", "C(q)"),
    "G": ("the gyroscopic matrix", "G(q)", "G(q)"),
    "M": ("the mass matrix", "M(q)", "M(q)"),
    "h": ("the column of terms without accelerations", "h(q,q')", r"h(q,\dot{q})"),
    "Q": ("a generalized force", "Q_gen", r"\mathcal{Q}"),
    "F": ("a force at a point", "F_at", r"\mathcal{F}"),
    "p": ("a point", "p_at", r"\mathbf{p}"),
    "s": ("the angle or length along which a force acts", "s_at", r"\mathbf{s}"),
    "tau": ("a torque", "tau_at", r"\mathcal{M}"),
    "phi": ("a constraint", "Phi", r"\Phi"),
    "J": ("the Jacobian of the constraints", "J(q)", "J(q)"),
    "gamma": ("the constraints' accelerations without those of the coordinates", "Gamma", r"\Gamma"),
    "lambda": ("the column of the multipliers", "lambda_all", r"\mathbf{\lambda}"),
    "alpha": ("a gain", "a_s", "a_s"),
    "beta": ("a gain", "b_s", "b_s"),
}
"""What each letter stands for, and in text and LaTeX what stands for it where the system has it."""

_LATEX = {"tau": r"\tau", "phi": r"\varphi", "gamma": r"\gamma", "lambda": r"\lambda",
          "alpha": r"\alpha", "beta": r"\beta", "Lbar": r"\bar{L}"}  # fmt: skip

_NUMBERED = {"T": "012", "L": "012", "phi": "123456789", "F": "123456789", "p": "123456789",
             "s": "123456789", "tau": "123456789"}  # fmt: skip
"""Letters that come with numbers, which must be free too."""


def taken_names(system: System) -> set[str]:
    """The names that a system has: of coordinates, parameters, inputs and what has a name inside."""
    own = [*system.coordinates, *system.parameters, *system.inputs]
    every = [e for part in system.parts().values() for e in part]
    inside = lets(every)
    vectors = (each.vector[0] for each in inside if each.vector)
    return {*(s.name for s in (*own, *inside)), *vectors}


class Letters:
    """A letter for each thing that a lecture on a system talks of.

    Arguments:
        system: whose letters are not to be used.
        names: others that a model file has.
    """

    def __init__(self, system: System, names: Iterable[str] = ()) -> None:
        self._taken = {*taken_names(system), *names}
        if len(system.coordinates) == 1:  # a column of one is no other thing
            self._taken -= {system.coordinates[0].name} & {"q"}
        self._used: dict[str, None] = {}

    def __call__(self, letter: str, number: object = "") -> Formula:
        """The letter, perhaps with a number."""
        _, text, latex = _ROLES[letter]
        if not self._is_taken(letter):
            text, latex = letter, _LATEX.get(letter, letter)
        else:
            self._used[letter] = None
        index = f"_{{{number}}}" if str(number) else ""
        return Formula(f"{text}{number}", f"{latex}{index}")

    def _is_taken(self, letter: str) -> bool:
        numbers = _NUMBERED.get(letter, "")
        return bool(self._taken & {letter, *(f"{letter}{k}" for k in numbers)})

    def remarks(self) -> Iterator[str]:
        """What the letters that gave way are called instead, of those used so far."""
        for letter in self._used:
            what, text, _ = _ROLES[letter]
            yield f"The letter `{letter}` belongs to the system: {what} is written `{text}`."
