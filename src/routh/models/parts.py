"""Parts of a system that are put together by adding them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import sympy

from routh.language.calculus import ddt, dot
from routh.language.forces import Force
from routh.language.requirements import Requirement
from routh.language.system import System


@dataclass(frozen=True)
class Parts:
    """What a component brings into a system; parts are added with +.

    Example:
        >>> import routh as rt
        >>> x, y = rt.coordinates("x y")
        >>> mass = Parts(kinetic=((rt.ddt(x)**2 + rt.ddt(y)**2) / 2,), potential=(9.81 * y,))
        >>> line = rt.models.tether.rigid(rt.vector(0, 0), rt.vector(x, y), 2)
        >>> (mass + line).system(name="pendulum")
        System(pendulum: 2 coordinates x, y; constraints: 1)
    """

    kinetic: tuple[sympy.Expr, ...] = ()
    potential: tuple[sympy.Expr, ...] = ()
    dissipation: tuple[sympy.Expr, ...] = ()
    forces: tuple[Force, ...] = ()
    constraints: tuple[sympy.Expr, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    """What values and motions must keep: sizes that are positive, a tether that does not run out."""

    def __add__(self, other: Parts) -> Parts:
        if not isinstance(other, Parts):
            return NotImplemented
        return Parts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def power(self) -> sympy.Expr:
        """What the forces of these parts do per time, as an expression to be read along a motion."""
        return sympy.Add(*(dot(f.components, ddt(f.at)) for f in self.forces))

    def system(self, **more: Any) -> System:
        """The system of these parts; `more` are other arguments of System, like `name`."""
        own: dict[str, Any] = {f.name: list(getattr(self, f.name)) for f in fields(self)}
        return System(**{name: terms for name, terms in own.items() if terms}, **more)
