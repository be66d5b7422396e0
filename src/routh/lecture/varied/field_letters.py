"""The letters of a lecture on fields; where the system has taken one, another stands for it."""

from __future__ import annotations

from routh.language.fields import Space
from routh.language.system import System
from routh.mechanics.fields.named_parts import free_name, taken_names
from routh.mechanics.forms.chapter import Formula
from routh.mechanics.forms.printing import latex

_ENERGIES = {
    "T": ("T_kin", r"\mathcal{T}"),
    "V": ("V_pot", r"\mathcal{V}"),
    "L": ("Lag", r"\mathcal{L}"),
    "D": ("D_loss", r"\mathcal{D}"),
}


class FieldLetters:
    """Letters for energies and densities, and for variables in general."""

    def __init__(self, system: System) -> None:
        self._taken = taken_names(system)
        self._several = len(system.spaces) > 1
        self.any = free_name(self._taken, ("x", "z", "r"))
        self.other = free_name({*self._taken, self.any}, ("y", "z", "eta"))

    def energy(self, letter: str) -> Formula:
        """An energy: T, V, L or D."""
        if letter not in self._taken:
            return Formula(letter, letter)
        return Formula(*_ENERGIES[letter])

    def outside(self, letter: str) -> Formula:
        """The part of an energy outside of integrals."""
        whole = self.energy(letter)
        return Formula(f"{whole.text}_D", f"{whole.latex}_D")

    def density(self, letter: str, space: Space) -> Formula:
        """An energy per length; where there are several spaces with the one that it belongs to."""
        if not self._several:
            return Formula(f"{letter}_hat", rf"\hat{{{letter}}}")
        return Formula(f"{letter}_hat_{space}", rf"\hat{{{letter}}}_{{{latex(space)}}}")
