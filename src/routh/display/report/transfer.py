"""Transfer functions: from each input to each coordinate, as quotients of polynomials in s."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from routh.analysis.linear.state_space import StateSpace
from routh.arrays import Array
from routh.display.report.formulas import number
from routh.language.symbols import Input
from routh.mechanics.forms.printing import latex
from routh.mechanics.quadratic import LinearEquations

NOISE = 1e-11
"""A coefficient below this share of what rounding may leave is zero."""

_S = sympy.Symbol("s")


@dataclass(frozen=True)
class Transfer:
    """`output = numerator(s)/denominator(s) input`, coefficients from the highest power down."""

    input: Input
    output: Any
    numerator: Array
    denominator: Array

    def __call__(self, s: Any) -> Any:
        """The value at a complex number."""
        return np.polyval(self.numerator, s) / np.polyval(self.denominator, s)

    @property
    def latex(self) -> str:
        """The quotient in LaTeX."""
        return rf"\frac{{{polynomial(self.numerator)}}}{{{polynomial(self.denominator)}}}"


def transfers(model: StateSpace) -> list[Transfer]:
    """The transfer functions of a state-space model of one point.

    Derivatives of an input are inputs of their own there, and count here as powers of s:
    `(det(s - A + b c) + (d - 1) det(s - A)) / det(s - A)`, summed up with s^k for the k-th derivative.
    """
    A, B, C, D = model
    whole = np.real(np.poly(A))
    reach = _reach(A)
    below = _clean(whole, reach)
    found = []
    for base in dict.fromkeys(u.base for u in model.inputs):
        columns = [(k, u.order) for k, u in enumerate(model.inputs) if u.base == base]
        for i, output in enumerate(model.outputs):
            above = np.zeros(1)
            for k, order in columns:
                closed = A - np.outer(B[:, k], C[i])
                part = np.real(np.poly(closed)) + (D[i, k] - 1) * whole
                part = _clean(part, max(reach, _reach(closed)))
                above = np.polyadd(above, np.concatenate([part, np.zeros(order)]))
            found.append(Transfer(base, output, *_without_zeros(np.trim_zeros(above, "f"), below)))
    return found


def _without_zeros(above: Array, below: Array) -> tuple[Array, Array]:
    """Both polynomials without the powers of s that they have in common."""
    while len(above) > 1 and above[-1] == 0 and below[-1] == 0:
        above, below = above[:-1], below[:-1]
    return above, below


def _reach(A: Array) -> float:
    """The size of the eigenvalues: a coefficient of the k-th rank is at most of its k-th power."""
    return float(np.abs(np.linalg.eigvals(A)).max(initial=0.0)) or 1.0


def _clean(coefficients: Array, reach: float) -> Array:
    """Coefficients without what rounding has left."""
    size = reach ** np.arange(len(coefficients))
    return np.where(np.abs(coefficients) <= NOISE * size, 0.0, coefficients)


def polynomial(coefficients: Array) -> str:
    """A polynomial in s, in LaTeX with five digits."""
    terms: list[str] = []
    for k, c in enumerate(coefficients):
        power = len(coefficients) - 1 - k
        if c == 0:
            continue
        letter = "" if power == 0 else "s" if power == 1 else f"s^{{{power}}}"
        digits = number(abs(c))
        digits = "" if digits == "1" and letter else digits
        sign = "-" if c < 0 else "+" if terms else ""
        terms.append(f"{sign} {digits} {letter}".strip())
    return " ".join(terms) or "0"


def symbolic_transfers(found: LinearEquations) -> dict[tuple[str, str], str]:
    """The transfer functions in symbols, in LaTeX, by the names of input and output."""
    M, C, K = found.M, found.D + found.G, found.K + found.H
    dynamic = sympy.Matrix(_S**2 * M + _S * C + K)
    below = dynamic.det(method="berkowitz")
    answers = dynamic.adjugate()
    told = {}
    for base in dict.fromkeys(u.base for u in found.inputs):
        push = sympy.zeros(M.rows, 1)
        for k, u in enumerate(found.inputs):
            if u.base == base:
                push += found.B[:, k] * _S**u.order
        for i, q in enumerate(found.system.coordinates):
            above, under = sympy.fraction(sympy.cancel((answers * push)[i] / below))
            above, under = (sympy.collect(sympy.expand(e), _S) for e in (above, under))
            told[base.name, q.name] = rf"\frac{{{_falling(above)}}}{{{_falling(under)}}}"
    return told


def _falling(e: sympy.Expr) -> str:
    """A polynomial in s in falling powers, each with its coefficient."""
    terms = sympy.Poly(e, _S).terms() if e.has(_S) else [((0,), e)]
    written: list[str] = []
    for (power,), c in terms:
        factored = sympy.factor_terms(c)
        own = latex(factored)
        letter = "" if power == 0 else "s" if power == 1 else f"s^{{{power}}}"
        if letter and isinstance(factored, sympy.Add):
            own = rf"\left({own}\right)"
        elif letter and abs(factored) == 1:
            own = own.removesuffix("1")
        sign = "" if not written or own.startswith("-") else "+ "
        written.append(f"{sign}{own} {letter}".strip())
    return " ".join(written)
