"""The letters of a lecture on fields; where the system has taken one, another stands for it."""

from __future__ import annotations

from routh.language.fields import Space
from routh.language.system import System
from routh.lecture.free_letters import FreeLetters, Role, taken_names
from routh.mechanics.fields.named_parts import free_name
from routh.mechanics.forms.chapter import Formula
from routh.mechanics.forms.printing import latex

_ENERGIES = {
    "T": Role("the kinetic energy", ("T_kin",)),
    "V": Role("the potential energy", ("V_pot",)),
    "L": Role("the Lagrangian", ("Lag",)),
    "D": Role("the Rayleigh function", ("D_loss",)),
    "T_hat": Role("the density of the kinetic energy", ("T_dens",), r"\hat{T}"),
    "V_hat": Role("the density of the potential energy", ("V_dens",), r"\hat{V}"),
    "L_hat": Role("the density of the Lagrangian", ("L_dens",), r"\hat{L}"),
    "D_hat": Role("the density of the Rayleigh function", ("D_dens",), r"\hat{D}"),
}


class FieldLetters:
    """Letters for energies and densities, and for variables in general."""

    def __init__(self, system: System) -> None:
        taken = taken_names(system)
        self._letters = FreeLetters(_ENERGIES, taken)
        self._several = len(system.spaces) > 1
        self.any = free_name(taken, ("x", "z", "r"))
        self.other = free_name({*taken, self.any}, ("y", "z", "eta"))

    def energy(self, letter: str) -> Formula:
        """An energy: T, V, L or D."""
        return self._letters(letter)

    def outside(self, letter: str) -> Formula:
        """The part of an energy outside of integrals."""
        whole = self.energy(letter)
        return Formula(f"{whole.text}_D", f"{whole.latex}_D")

    def density(self, letter: str, space: Space) -> Formula:
        """An energy per length; where there are several spaces with the one that it belongs to."""
        own = self._letters(f"{letter}_hat")
        if not self._several:
            return own
        return Formula(f"{own.text}_{space}", f"{own.latex}_{{{latex(space)}}}")
