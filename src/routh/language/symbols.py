"""The atoms of the language: time, coordinates, inputs, parameters and named intermediates.

They are SymPy symbols, so every SymPy expression can be written with them. Coordinates and inputs
know their time derivative, which makes `ddt` exact and quick and lets LaTeX show dots.

A coordinate or an input is the same only as itself: two systems can each have an `x`, and one that
mixes them is refused. Parameters with equal name and particulars are equal, like SymPy's own symbols;
a declared sign is one of these.

A coordinate is a symbol, so that `theta.diff(t)` would be 0. It counts time, and a field its space,
among its free symbols: SymPy then asks it for its derivative, and it says to write `ddt` or
`routh.diff`. It gives no rate there, since SymPy sorts mixed derivatives and d/dt and d/dv do not
commute. What stands in an expression is therefore asked of `leaves` or `atoms`, never of
`free_symbols`.

SymPy flattens nested sums, so that a chain `x_k = x_(k-1) + ...` grows like n^2. A `Let` is one
symbol, and its time derivative is a `Let` again. It can only refer to earlier ones, so its serial
number is an order of evaluation and nothing recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

import sympy
from sympy.printing.pretty.stringpict import prettyForm

from routh.errors import DeclarationError
from routh.language.latex_names import dotted, latex_name
from routh.language.serials import arrived, here, new_serial

_Symbol = TypeVar("_Symbol", bound=sympy.Symbol)
_Declared = TypeVar("_Declared", bound=Any)

BySymbol = Mapping[Any, Any]
"""What is given for symbols, the keys being symbols or their names.

To type checkers the keys of a Mapping are of one type exactly: one of `Coordinate | str` would refuse a
dict whose keys are coordinates alone.
"""

t = sympy.Symbol("t", real=True)
"""Time, in every system."""


_FUNCTIONS = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt",
    "abs", "sign", "min", "max",
)  # fmt: skip
_MEANT = {"t": "time", "pi": "the number 3.14159...", **dict.fromkeys(_FUNCTIONS, "a function")}
"""Names that formulas have a meaning for: a symbol of that name could not be told from it."""


def checked_name(name: object, what: str) -> str:
    """The name, if it is one word of letters, digits and underscores that means nothing else."""
    if not isinstance(name, str) or not name.isidentifier():
        raise DeclarationError(
            f"The name of {what} must be one word of letters, digits and underscores, like theta1 or"
            f" k_c. Got {name!r}."
        )
    if name in _MEANT:
        raise DeclarationError(
            f"The name of {what} must not be `{name}`, which is {_MEANT[name]} in every formula. Choose"
            f" another, like {name}_0."
        )
    return name


class Atom(sympy.Symbol):
    """A real symbol of ours; a class of atoms says in `_hashable_content` what makes two equal."""

    __slots__ = ("_latex_name",)
    _latex_name: str | None
    _rank = 0
    """Products are printed by rank: parameters, intermediates, inputs, coordinates."""

    @classmethod
    def class_key(cls) -> tuple[int, int, str]:
        return 2, cls._rank, cls.__name__

    def __copy__(self) -> Atom:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Atom:
        return self

    def __reduce_ex__(self, _protocol: Any) -> tuple[Any, ...]:
        """How it is sent: what it is first, then what else it knows, which may contain itself."""
        return _received, (type(self), *self._sent()), self._known_besides()

    def _sent(self) -> tuple[Any, ...]:
        """What makes it the symbol that it is."""
        return self.name, self._latex_name

    @classmethod
    def _made(cls, *sent: Any) -> Any:
        """The same symbol from what `_sent` gives."""
        self = new_symbol(cls, sent[0])
        self._latex_name = sent[1]
        return self

    def _known_besides(self) -> dict[str, Any] | None:
        """What belongs to it without making it what it is, by the names of slots."""
        return None

    def _latex(self, _printer: Any) -> str:
        return self._latex_name or latex_name(self.name)


def _received(cls: type[Atom], *sent: Any) -> Any:
    """A symbol that was sent here."""
    return cls._made(*sent)


def new_symbol(cls: type[_Symbol], name: str, **more: bool) -> _Symbol:
    """A new real symbol of a class of ours; `more` is what else SymPy may take for granted."""
    symbol: _Symbol = sympy.Symbol.__xnew__(cls, name, real=True, **more)
    return symbol


class Signal(Atom):
    """A function of time written as a symbol: `order` counts the dots, `label` is the bare name.

    Two signals are the same only if they come from the same declaration, so two systems may use
    one name each for their own coordinate.
    """

    __slots__ = ("_rate", "base", "label", "order", "origin", "serial")
    label: str
    order: int
    serial: int
    origin: str
    base: Signal
    _rate: Signal | None

    def __new__(
        cls, label: str, latex: str | None = None, base: Signal | None = None, order: int = 0
    ) -> Signal:
        self = new_symbol(cls, label + "'" * order)
        self.label = label
        self.order = order
        self.serial = new_serial() if base is None else base.serial
        self.origin = here() if base is None else base.origin
        self.base = self if base is None else base
        self._latex_name = latex
        self._rate = None
        return self

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.serial, self.order, self.origin)

    def _sent(self) -> tuple[Any, ...]:
        if self.order:
            return self.base, self.order
        return self.label, self._latex_name, self.serial, self.origin

    @classmethod
    def _made(cls, *sent: Any) -> Any:
        if isinstance(sent[0], Signal):
            return _derivative(*sent)
        label, latex, serial, origin = sent
        return declared(cls(label, latex), serial, origin)

    @property
    def rate(self) -> Signal:
        """The time derivative, itself a signal."""
        if self._rate is None:
            self._rate = type(self)(self.label, self._latex_name, self.base, self.order + 1)
        return self._rate

    @property
    def free_symbols(self) -> set[sympy.Basic]:
        """Itself and what it is a function of, so that SymPy's own `diff` asks instead of giving 0."""
        return {self, t}

    def _eval_derivative(self, symbol: sympy.Basic) -> sympy.Expr:
        if symbol == t:
            raise DeclarationError(
                f"`{self}` changes in time, and SymPy's own diff does not know how. Write ddt(...) for"
                f" the rate, like ddt({self}), or routh.diff(..., t), which is the same."
            )
        return sympy.S.One if symbol == self else sympy.S.Zero

    def _eval_derivative_n_times(self, symbol: sympy.Basic, times: int) -> sympy.Expr:
        return sympy.Basic._eval_derivative_n_times(self, symbol, times)

    def _latex(self, _printer: Any) -> str:
        return dotted(self._latex_name or latex_name(self.label), self.order)

    def _pretty(self, printer: Any) -> Any:
        stem = self.label.rstrip("0123456789")
        stem, mark, index = stem.partition("_")
        index += self.label[len(stem) + len(mark) + len(index) :]
        dots = "d" * self.order + "ot" if self.order in (1, 2, 3) else ""
        tail = "" if dots else "'" * self.order
        shown = printer._print_Symbol(sympy.Symbol(stem + dots + (f"_{index}" if index else "")))
        return prettyForm(*shown.right(tail)) if tail else shown


class Coordinate(Signal):
    """A generalized coordinate, or with `order` > 0 its velocity, acceleration and so on."""

    __slots__ = ()
    _rank = 3


class Momentum(Signal):
    """What is conjugate to a velocity (or to another quantity) in a Legendre transform."""

    __slots__ = ()
    _rank = 4


class Input(Signal):
    """A prescribed function of time (a force, a base motion), or one of its derivatives."""

    __slots__ = ()
    _rank = 2


class Parameter(Atom):
    """A constant with a name, and optionally a default value, a unit label and a LaTeX name.

    Two parameters with the same name and the same particulars are the same parameter. `sign` is
    "positive" or "nonnegative" where it was declared so, else "".
    """

    __slots__ = ("default", "sign", "unit")
    default: float | None
    sign: str
    unit: str | None

    def __new__(
        cls,
        name: str,
        default: float | None = None,
        unit: str | None = None,
        latex: str | None = None,
        sign: str = "",
    ) -> Parameter:
        self = new_symbol(cls, name, **({sign: True} if sign else {}))
        self.default = default
        self.sign = sign
        self.unit = unit
        self._latex_name = latex
        return self

    def _hashable_content(self) -> tuple[Any, ...]:
        particulars = (str(self.default), self.unit or "", self._latex_name or "")
        return (*super()._hashable_content(), *particulars)

    def _sent(self) -> tuple[Any, ...]:
        return self.name, self.default, self.unit, self._latex_name, self.sign

    @classmethod
    def _made(cls, *sent: Any) -> Any:
        return cls(*sent)

    def refuse_sign(self, least: float, what: str) -> None:
        """Refuse a number, the least of those given, that is not as the parameter was declared."""
        if (self.sign == "positive" and not least > 0) or (self.sign and least < 0):
            word = "positive" if self.sign == "positive" else "zero or positive"
            raise DeclarationError(
                f"{what} must be {word}: `{self}` was declared {self.sign}. Got {least:g}. Give another"
                f" number, or declare it without a sign: `{self.sign} = false` in a model file."
            )


class Let(Atom):
    """A named intermediate: one symbol that stands for an expression.

    A `Let` can only refer to those made before it, so ascending `serial` is an order in which
    they can be evaluated, and long chains need no recursion.
    """

    __slots__ = ("_free", "_known", "_rate", "expression", "origin", "rate_of", "serial", "vector")
    _rank = 1
    expression: sympy.Expr
    serial: int
    origin: str
    rate_of: Let | None
    """The intermediate whose time derivative this one is."""
    vector: tuple[str, tuple[sympy.Expr, ...]] | None
    """The name and the components of the vector that it is a component of."""
    _rate: sympy.Expr | None
    _known: Callable[[], sympy.Expr] | None
    _free: set[sympy.Basic] | None

    def __new__(cls, name: str, expression: sympy.Expr) -> Let:
        self = new_symbol(cls, name)
        self.expression = expression
        self.serial = new_serial()
        self.origin = here()
        self.rate_of = None
        self.vector = None
        self._latex_name = None
        self._rate = None
        self._known = None
        self._free = None
        return self

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.serial, self.origin)

    def _sent(self) -> tuple[Any, ...]:
        return self.name, self.expression, self.serial, self.origin

    @classmethod
    def _made(cls, *sent: Any) -> Any:
        name, expression, serial, origin = sent
        return declared(cls(name, expression), serial, origin)

    def _known_besides(self) -> dict[str, Any]:
        names = ("_latex_name", "vector", "rate_of", "_rate", "_known")
        return {name: getattr(self, name) for name in names}

    def knows_rate(self, make: Callable[[], sympy.Expr]) -> None:
        """Have the time derivative made in this way, where it is known in a shorter form."""
        self._known = make

    @property
    def has_rate(self) -> bool:
        """Whether the time derivative was made before, or is known without what this one stands for."""
        return self._rate is not None or self._known is not None

    def rate(self, derivative: Callable[[sympy.Expr], sympy.Expr]) -> sympy.Expr:
        """The time derivative, named like this one with a prime; made once."""
        if self._rate is None:
            self._rate = derivative(self.expression) if self._known is None else self._known()
            if not self._rate.is_Atom:
                self._rate = Let(self.name + "'", self._rate)
                self._rate.rate_of = self
        return self._rate

    @property
    def free_symbols(self) -> set[sympy.Basic]:
        """Itself and what it stands for, so that SymPy's own `diff` looks inside."""
        if self._free is None:
            self._free = {self} | self.expression.free_symbols
        return self._free

    def _latex(self, _printer: Any) -> str:
        stem = self.name.rstrip("'")
        return dotted(self._latex_name or latex_name(stem), len(self.name) - len(stem))

    def _eval_derivative(self, symbol: sympy.Basic) -> sympy.Expr:
        if symbol == self:
            return sympy.S.One
        return self.expression.diff(symbol)

    def _eval_derivative_n_times(self, symbol: sympy.Basic, times: int) -> sympy.Expr:
        return sympy.Basic._eval_derivative_n_times(self, symbol, times)


def declared(symbol: _Declared, serial: int, origin: str) -> _Declared:
    """A new symbol as one that comes from a declaration elsewhere."""
    arrived(serial)
    symbol.serial, symbol.origin = serial, origin
    return symbol


@lru_cache(maxsize=1024)
def momentum(q: Signal) -> Momentum:
    """The momentum of a coordinate, always the same symbol: it counts as declared with it."""
    made = Momentum(f"p_{q.label}", f"p_{{{sympy.latex(q)}}}")
    assert isinstance(made, Momentum)
    return declared(made, q.serial, q.origin)


def named(name: str, own: Iterable[sympy.Symbol]) -> Any:
    """The one of these symbols that has a name, or a derivative of one as it is printed; None if none.

    >>> named("x'", [Coordinate("x"), Coordinate("y")])
    x'
    """
    label = name.rstrip("'")
    for symbol in own:
        if symbol.name == name:
            return symbol
        if isinstance(symbol, Signal) and symbol.name == label:
            return _derivative(symbol, len(name) - len(label))
    return None


def _derivative(signal: Signal, order: int) -> Signal:
    for _ in range(order):
        signal = signal.rate
    return signal
