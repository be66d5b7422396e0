"""Declarations: new coordinates, inputs and parameters, checked where they are made."""

from __future__ import annotations

from math import isfinite, nan

from routh.errors import DeclarationError
from routh.language.notation import checked_latex
from routh.language.symbols import Coordinate, Input, Parameter, checked_name


def coordinate(name: str, *, latex: str | None = None) -> Coordinate:
    """A new generalized coordinate; `ddt` of it is its velocity.

    Example:
        >>> theta = coordinate("theta1")
        >>> theta.rate
        theta1'
    """
    made = Coordinate(checked_name(name, "a coordinate"), checked_latex(latex, f"`{name}`"))
    assert isinstance(made, Coordinate)
    return made


def coordinates(names: str) -> tuple[Coordinate, ...]:
    """New coordinates from names separated by blanks or commas.

    Example:
        >>> x, y = coordinates("x y")
        >>> x.rate, y.rate
        (x', y')
    """
    return tuple(coordinate(name) for name in _split(names, "coordinates"))


def input(name: str, *, latex: str | None = None) -> Input:
    """A new input: a prescribed function of time, whose derivatives (by `ddt`) are inputs too.

    Example:
        >>> from routh import ddt
        >>> x_b = input("x_b")
        >>> ddt(x_b, 2)
        x_b''
    """
    made = Input(checked_name(name, "an input"), checked_latex(latex, f"`{name}`"))
    assert isinstance(made, Input)
    return made


def inputs(names: str) -> tuple[Input, ...]:
    """New inputs from names separated by blanks or commas.

    Example:
        >>> inputs("u v")
        (u, v)
    """
    return tuple(input(name) for name in _split(names, "inputs"))


def parameter(
    name: str,
    default: float | None = None,
    *,
    unit: str | None = None,
    latex: str | None = None,
    positive: bool = False,
    nonnegative: bool = False,
) -> Parameter:
    """A constant of the system, with an optional default value, unit label and LaTeX name.

    One that is declared positive or nonnegative makes formulas shorter, as sqrt(m^2) is m, and has such
    values alone.

    Example:
        >>> parameter("g", 9.81, unit="m/s^2").default
        9.81
    """
    checked_name(name, "a parameter")
    sign = _sign(name, positive, nonnegative)
    given = default
    if default is not None:
        try:
            default = float(default)
        except (TypeError, ValueError):
            default = nan
        if not isfinite(default):
            raise DeclarationError(
                f"The default of parameter `{name}` must be a finite number. Got {given!r}."
            )
    shown = checked_latex(latex, f"`{name}`")
    made = Parameter(name, default, unit, shown, sign)
    if default is not None:
        made.refuse_sign(default, f"The default of parameter `{name}`")
    return made


def _sign(name: str, positive: object, nonnegative: object) -> str:
    for word, given in (("positive", positive), ("nonnegative", nonnegative)):
        if not isinstance(given, bool):
            raise DeclarationError(
                f"`{word}` of parameter `{name}` must be True or False. Got {given!r}."
            )
    return "positive" if positive else "nonnegative" if nonnegative else ""


def parameters(
    names: str, *, positive: bool = False, nonnegative: bool = False
) -> tuple[Parameter, ...]:
    """Parameters from names separated by blanks or commas, all of one sign where that is declared.

    Example:
        >>> from routh import sqrt
        >>> m, k = parameters("m k", positive=True)
        >>> sqrt(m**2 * k**2)
        k*m
    """
    every = _split(names, "parameters")
    return tuple(parameter(name, positive=positive, nonnegative=nonnegative) for name in every)


def _split(names: object, what: str) -> list[str]:
    if not isinstance(names, str) or not names.replace(",", " ").split():
        raise DeclarationError(f'Names of {what} are given as one text, like "x y". Got {names!r}.')
    return names.replace(",", " ").split()
