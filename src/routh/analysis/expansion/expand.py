"""The verb `expand`: equations of motion part by part, in symbols or in numbers."""

from __future__ import annotations

from typing import overload

from routh.analysis.expansion.taylor import Taylor
from routh.analysis.rest.result import Equilibrium
from routh.errors import DeclarationError
from routh.language.symbols import BySymbol
from routh.language.system import System
from routh.mechanics.expansion import Expansion, FieldExpansion, expanded


@overload
def expand(
    system: System, about: BySymbol, order: int = 3, *, simplify: float | None = None
) -> Expansion | FieldExpansion: ...
@overload
def expand(system: Equilibrium, about: None = None, order: int = 3) -> Taylor: ...
def expand(
    system: System | Equilibrium,
    about: BySymbol | None = None,
    order: int = 3,
    *,
    simplify: float | None = None,
) -> Expansion | FieldExpansion | Taylor:
    """The equations of motion up to some order in the deviations from a reference.

    Directly from the parts of L one order higher: in symbols for a system and a reference, in numbers
    about an `Equilibrium` for systems of any size, discretized ones too.

    Arguments:
        system: a system without constraints, or an equilibrium of one. With fields conditions at their
            ends are welcome.
        about: for each coordinate where it rests, or an expression in t; fields are expanded about
            zero. Not for an equilibrium.
        order: the highest degree of the equations, 1 for the linear ones.
        simplify: work to spend on shorter forms, 2 if not given, 1 being about a second of it. Not
            for an equilibrium.

    Raises:
        DeclarationError: the order is no positive whole number, or too high for so many coordinates.
        DerivationError: constraints hold the system, or it has no derivatives of that order there: at
            a kink of Abs, Max, Piecewise, at the end of a power like x**(5/2).

    Example:
        >>> from routh import coordinate, cos, ddt, parameters, System
        >>> theta, (m, l, g) = coordinate("theta"), parameters("m l g")
        >>> swing = System(kinetic=m*l**2*ddt(theta)**2/2, potential=-m*g*l*cos(theta))
        >>> print(expand(swing, {theta: 0}))
        degree 1:
          theta: m*l**2*e_theta'' + m*g*l*e_theta
        degree 2:
          theta: 0
        degree 3:
          theta: -m*g*l*e_theta**3/6
    """
    if isinstance(system, Equilibrium):
        for name, given in (("about", about), ("simplify", simplify)):
            if given is not None:
                raise DeclarationError(
                    f"`{name}` is for expand(system, about), in symbols. An equilibrium is expanded in"
                    f" numbers about itself. Got {name}={given!r}; leave it out."
                )
        return Taylor(system, order)
    seconds = 2.0 if simplify is None else simplify
    return expanded(system, {} if about is None else about, order, simplify=seconds)
