"""`response.sensitivity`: how the answers to a harmonic input change with parameters.

In all coordinates and multipliers the answer is `z = c(s) w + d(s)` with `A(s) w = b(s)`, s = i omega,
so that `dz/dp = c_p w + d_p + c A^-1 (b_p - A_p w)`, derivatives along the move of the equilibrium.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import sympy

from routh.analysis.given.protocols import Found
from routh.analysis.pieces.kinks import smooth_at
from routh.analysis.sensitivities.asked_knobs import asked_knobs
from routh.analysis.sensitivities.moved_rest import Moves, loosely, moves, unmoved
from routh.analysis.sensitivities.pencil_slopes import pencil_slopes
from routh.arrays import Array, Complex, Mask
from routh.errors import DerivationError, listed, quoted, shortened
from routh.kernels.engine import Kernel
from routh.kernels.kernel import kernel
from routh.language.symbols import Input
from routh.language.system import System
from routh.numerics import levels
from routh.numerics.rank import balanced
from routh.shown import as_html


@dataclass(frozen=True, eq=False, repr=False)
class ResponseSensitivity:
    """Derivatives of a frequency response by parameters, the equilibrium moving along.

    Attributes:
        response: the answers themselves.
        parameters: what the derivatives are by, the last axis of all arrays.
        transfer: (..., F, outputs, parameters) derivatives of the complex amplitudes; NaN on an
            undamped resonance.
        remark: what the numbers alone do not say, or nothing.
    """

    response: Any
    parameters: tuple[sympy.Symbol, ...]
    transfer: Annotated[Complex, "*batch F outputs parameters"]
    remark: str

    @property
    def system(self) -> System:
        """The system it is about."""
        found: System = self.response.linear.system
        return found

    @property
    def magnitude(self) -> Annotated[Array, "*batch F outputs parameters"]:
        """(..., F, outputs, parameters): derivatives of the sizes; NaN where there is no answer."""
        z = self.response.transfer[..., None]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(z == 0, np.nan, (z.conj() * self.transfer).real / np.abs(z))

    @property
    def phase(self) -> Annotated[Array, "*batch F outputs parameters"]:
        """(..., F, outputs, parameters): derivatives of the phases; NaN where there is no answer."""
        z = self.response.transfer[..., None]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(z == 0, np.nan, (self.transfer / z).imag)

    def __repr__(self) -> str:
        return f"ResponseSensitivity({self.system.title}, by {listed(self.parameters)})"

    def __str__(self) -> str:
        found = self.response
        head = (
            f"Derivatives of the frequency response of {self.system.title}, {found.input} to"
            f" {listed(found.outputs)}, by {listed(self.parameters)}."
        )
        return f"{head} {self.remark}".strip()

    _repr_html_ = as_html


Matrices = tuple[Array, Array, Array, Array]


def response_sensitivity(
    response: Any, matrices: Matrices, inputs: Sequence[Input], chosen: Sequence[object]
) -> ResponseSensitivity:
    """The derivatives of a frequency response by what was chosen, or by all parameters.

    Arguments:
        response: the answers, with `input`, `outputs`, `frequencies` and `linear`.
        matrices: M, C, K and B in all coordinates and multipliers, of batch shape.
        inputs: what the columns of B belong to.
        chosen: parameters, inputs, steady velocities.
    """
    rest: Found = response.linear.reference
    given, engine = rest.conditions, kernel(rest.system)
    knobs = asked_knobs(rest.system, given, chosen)
    moved = moves(rest, knobs, order=2)
    along = pencil_slopes(rest, moved)
    known = along.known & _smooth_outputs(engine, rest, response.outputs)[:, None]
    s: Complex = 1j * response.frequencies.astype(complex)
    M, C, K, B = (given.stacked(X) for X in matrices)
    here = _Answers(engine, rest, response, s)
    b = here.columns(B, inputs)
    w, singular = _solved(M, C, K, b, s)
    found = []
    for k in range(len(knobs)):
        each = s[:, None, None]
        moving = each**2 * along.M[:, k, None] + each * along.C[:, k, None] + along.K[:, k, None]
        change = here.columns(along.B[:, k], engine.signals) - np.einsum("kfij,kfj->kfi", moving, w)
        dw, _ = _solved(M, C, K, change, s)
        found.append(here.read(dw) + here.read_turned(moved, k, w))
    endless = ~np.isfinite(given.stacked(response.transfer)) | singular[..., None]
    endless |= given.stacked(response.resonant)[..., None]
    lost = endless[..., None] | ~known[:, None, None]
    transfer = np.where(lost, complex(np.nan, np.nan), np.stack(found, axis=-1))
    remark = " ".join(filter(None, (loosely(moved), unmoved(moved))))
    return ResponseSensitivity(
        response, tuple(each.symbol for each in knobs), given.folded(transfer), remark
    )


def _smooth_outputs(engine: Kernel, rest: Found, outputs: Sequence[sympy.Expr]) -> Mask:
    """(N,) where slopes of the outputs have derivatives; one point is refused."""
    found = smooth_at(engine, rest.point(), 2, outputs=list(outputs))
    if not rest.conditions.shape and found.broken[0]:
        raise DerivationError(
            f"The outputs {quoted(shortened(y) for y in outputs)} have no second derivatives at the"
            f" equilibrium, {found.where}. Ask for smooth outputs."
        )
    return ~found.broken


@dataclass(frozen=True, eq=False)
class _Answers:
    """How an input acts, and how outputs are read, at all s = i omega."""

    engine: Kernel
    rest: Found
    response: Any
    s: Complex

    def columns(self, B: Array, signals: Sequence[Input]) -> Complex:
        """(N, F, rows): the columns of the input and its derivatives, each i omega times as strong."""
        found = np.zeros((*B.shape[:-1], len(self.s)), dtype=complex)
        for k, signal in enumerate(signals):
            if signal.base == self.response.input:
                found += B[..., k : k + 1] * self.s**signal.order
        return np.moveaxis(found, -1, -2)

    def _slopes(self, slopes: Sequence[Array], w: Complex) -> Complex:
        """(N, F, outputs): what slopes by q, v and a read of answers (N, F, size)."""
        moved = w[..., : slopes[0].shape[2]]
        powers = (self.s**order for order in range(3))
        return np.asarray(
            sum(
                np.einsum("koi,kfi->kfo", slope, moved) * power[:, None]
                for slope, power in zip(slopes, powers, strict=True)
            )
        )

    def read(self, w: Complex) -> Complex:
        """(N, F, outputs): what the outputs read of answers, inputs apart."""
        return self._slopes(self.engine.slopes(self.response.outputs, self.rest.point())[:3], w)

    def read_turned(self, moved: Moves, k: int, w: Complex) -> Complex:
        """(N, F, outputs): how what they read changes with knob k, the answers held."""
        turn = moved.at(k, self.engine)
        _, *by = self.engine.turned(self.response.outputs, self.rest.point(), turn)
        direct = self.columns(by[3], self.engine.signals)
        return np.asarray(self._slopes(by[:3], w) + direct)


def _solved(M: Array, C: Array, K: Array, b: Complex, s: Complex) -> tuple[Complex, Mask]:
    """(N, F, size): the solutions of A(s) w = b, and (N, F) where A is singular to rounding."""
    each = s[:, None, None]
    M, C, K = (X[:, None] for X in (M, C, K))
    A = each**2 * M + each * C + K
    terms = np.abs(each) ** 2 * np.abs(M) + np.abs(each) * np.abs(C) + np.abs(K)
    terms = np.where(np.isfinite(terms), terms, 0.0)
    _, rows, columns = balanced(terms)
    unit = A / rows[..., None] / columns[..., None, :]
    unit = np.where(np.isfinite(unit), unit, 0.0)
    sizes = np.linalg.svd(unit, compute_uv=False)
    singular = ~(sizes[..., -1] > levels.RANK * sizes[..., 0])
    safe = np.where(singular[..., None, None], np.eye(A.shape[-1]), unit)
    right = np.where(singular[..., None], 0.0, b / rows)
    return np.asarray(np.linalg.solve(safe, right[..., None])[..., 0] / columns), singular
