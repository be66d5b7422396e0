"""Elastic domains and what varies along them: spaces, fields, and the values of fields at ends.

A field w(s, t) is written as a symbol, like a coordinate. `ddt` and `diff` give the symbols of its
derivatives, `at` those of its values at an end of the space.
"""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import Any

import sympy

from routh.errors import DeclarationError, quoted
from routh.language.latex_names import dotted, latex_name
from routh.language.notation import checked_latex
from routh.language.serials import here, new_serial
from routh.language.symbols import (
    Atom,
    Parameter,
    Signal,
    checked_name,
    declared,
    new_symbol,
    t,
)

MOST_SLOPES = 2
"""Derivatives along a space that an energy may contain: two make the bending of a beam."""


class Space(Atom):
    """A material coordinate s along an elastic body, from `bounds[0]` to `bounds[1]`."""

    __slots__ = ("bounds", "origin", "serial")
    _rank = 3
    bounds: tuple[sympy.Expr, sympy.Expr]
    serial: int
    origin: str

    def __new__(cls, name: str, bounds: tuple[sympy.Expr, sympy.Expr], latex: str | None) -> Space:
        self = new_symbol(cls, name)
        self.bounds = bounds
        self.serial = new_serial()
        self.origin = here()
        self._latex_name = latex
        return self

    def _hashable_content(self) -> tuple[Any, ...]:
        return (self.name, self.serial, self.origin)

    def _sent(self) -> tuple[Any, ...]:
        return self.name, self.bounds, self._latex_name, self.serial, self.origin

    @classmethod
    def _made(cls, *sent: Any) -> Any:
        *particulars, serial, origin = sent
        return declared(cls(*particulars), serial, origin)

    @property
    def length(self) -> sympy.Expr:
        """How long the space is."""
        return self.bounds[1] - self.bounds[0]


class Field(Signal):
    """A function of a space and of time, a derivative of it, or its value at an end.

    `order` counts the derivatives in time, `slope` those along the space, and `end` is 0 or 1 for
    the value at the first or the last point, None for the field itself.
    """

    __slots__ = ("_steeper", "end", "slope", "space")
    _rank = 4
    space: Space
    slope: int
    end: int | None
    _steeper: Field | None

    def __new__(
        cls,
        label: str,
        space: Space,
        latex: str | None = None,
        base: Field | None = None,
        order: int = 0,
        slope: int = 0,
        end: int | None = None,
    ) -> Field:
        derivatives = "t" * order + space.name * slope
        name = label + (f"_{derivatives}" if derivatives else "")
        self = new_symbol(cls, name if end is None else f"{name}({space.bounds[end]})")
        self.label = label
        self.order = order
        self.space, self.slope, self.end = space, slope, end
        self.serial = new_serial() if base is None else base.serial
        self.origin = here() if base is None else base.origin
        self.base = self if base is None else base
        self._latex_name = latex
        self._rate = self._steeper = None
        return self

    def _hashable_content(self) -> tuple[Any, ...]:
        end = -1 if self.end is None else self.end
        return (self.name, self.serial, self.order, self.slope, end, self.origin)

    def _sent(self) -> tuple[Any, ...]:
        if self is not self.base:
            return self.base, self.order, self.slope, self.end
        return self.label, self.space, self._latex_name, self.serial, self.origin

    @classmethod
    def _made(cls, *sent: Any) -> Any:
        if isinstance(sent[0], Field):
            base, order, slope, end = sent
            return base._derived(order=order, slope=slope, end=end)
        *particulars, serial, origin = sent
        return declared(cls(*particulars), serial, origin)

    def _derived(self, *, order: int = 0, slope: int = 0, end: int | None = None) -> Field:
        """The same field differentiated further, or at an end."""
        return Field(
            self.label,
            self.space,
            self._latex_name,
            self.base,
            self.order + order,
            self.slope + slope,
            self.end if end is None else end,
        )

    @property
    def rate(self) -> Field:
        """The derivative in time."""
        if self._rate is None:
            self._rate = self._derived(order=1)
        assert isinstance(self._rate, Field)
        return self._rate

    @property
    def steeper(self) -> Field:
        """The derivative along the space."""
        if self._steeper is None:
            self._steeper = self._derived(slope=1)
        return self._steeper

    def at_end(self, end: int) -> Field:
        """The value at the first (0) or the last (1) point of the space."""
        return self._derived(end=end)

    @property
    def position(self) -> Field:
        """The same without derivatives in time."""
        if not self.order:
            return self
        return Field(self.label, self.space, self._latex_name, self.base, 0, self.slope, self.end)

    @property
    def free_symbols(self) -> set[sympy.Basic]:
        """Itself and what it is a function of: time, and along the body its space."""
        return {self, t} if self.end is not None else {self, t, self.space}

    def _eval_derivative(self, symbol: sympy.Basic) -> sympy.Expr:
        if symbol == self.space and self.end is None:
            raise DeclarationError(
                f"`{self}` varies along `{self.space}`, and SymPy's own diff does not know how."
                f" Derivatives along a space are written diff({self}, {self.space}) with routh.diff."
            )
        return Signal._eval_derivative(self, symbol)

    def _latex(self, printer: Any) -> str:
        plain = dotted(self._latex_name or latex_name(self.label), self.order)
        primes = "'" * self.slope if self.slope < 4 else f"^{{({self.slope})}}"
        place = "" if self.end is None else f"({printer._print(self.space.bounds[self.end])})"
        return f"{plain}{primes}{place}"

    def _pretty(self, printer: Any) -> Any:
        return printer._print_Symbol(sympy.Symbol(self.name))


def space(name: str, start: object, end: object, *, latex: str | None = None) -> Space:
    """A material coordinate along a body, from `start` to `end`.

    The bounds are numbers or expressions in parameters; of areas and volumes those of one space may
    depend on other spaces. Fields live on spaces whose bounds do not.

    Example:
        >>> from routh import parameter
        >>> space("s", 0, parameter("L")).bounds
        (0, L)
    """
    checked_name(name, "a space")
    if name == "t":
        raise DeclarationError("The name of a space must not be `t`, which is time. Choose another.")
    bounds = (_bound(start, name), _bound(end, name))
    length = bounds[1] - bounds[0]
    if length.is_nonpositive or (length.is_number and not length > 0):
        raise DeclarationError(
            f"The space `{name}` must end behind its start. Got {bounds[0]} to {bounds[1]}."
        )
    return Space(name, bounds, checked_latex(latex, f"`{name}`"))


def _bound(value: object, name: str) -> sympy.Expr:
    if isinstance(value, Real) and not isinstance(value, (bool, sympy.Basic)) and isfinite(value):
        number = float(value)
        value = sympy.Integer(int(number)) if number.is_integer() else sympy.Float(number)
    if not isinstance(value, sympy.Expr):
        raise DeclarationError(
            f"A bound of the space `{name}` must be a number or an expression in parameters and"
            f" other spaces. Got {value!r}."
        )
    own = value.atoms(sympy.Symbol)
    alien = sorted((s for s in own if not isinstance(s, (Parameter, Space))), key=str)
    if alien or not (own or (value.is_finite and value.is_real)):
        raise DeclarationError(
            f"A bound of the space `{name}` may contain finite numbers, parameters and other spaces"
            f" alone. Got {quoted(alien or [value])}. Where a domain moves, write its points as"
            " functions of a material coordinate that does not."
        )
    return value


def field(name: str, over: Space | None = None, *, latex: str | None = None) -> Field:
    """A new field over a space: `ddt(w)` is its rate, `diff(w, s)` its slope, `at(w, s, end)` a value.

    Derivatives are those of Routh: SymPy's own `.diff(s)` of an expression with fields is refused.

    Example:
        >>> from routh import ddt, diff, parameter
        >>> s = space("s", 0, parameter("L"))
        >>> w = field("w", s)
        >>> ddt(w), diff(w, s, 2)
        (w_t, w_ss)
    """
    checked_name(name, "a field")
    if not isinstance(over, Space):
        raise DeclarationError(
            f'The field `{name}` needs the space it lives on, like s = space("s", 0, L) and'
            f' field("{name}", s). Got {over!r}.'
        )
    others = sorted({x for bound in over.bounds for x in bound.atoms(Space)}, key=str)
    if others:
        raise DeclarationError(
            f"The field `{name}` lives on a space with fixed ends. Those of `{over}` depend on"
            f" {quoted(others)}: such spaces are for areas and volumes of rigid bodies."
        )
    return Field(name, over, checked_latex(latex, f"`{name}`"))
