"""The verb `floquet`: what a period does to small motions, for whole charts of parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from routh.analysis.canonical_model import canonical_blocks
from routh.analysis.equilibrium import equilibrium
from routh.analysis.kinks import pieces, smooth_at
from routh.analysis.multipliers import Floquet
from routh.analysis.periodic import PeriodicMotion
from routh.analysis.shooting import PROBES, SAME
from routh.analysis.values import Numbers, number
from routh.errors import DeclarationError, DerivationError, SolveError, shortened
from routh.kernels.batch import Array
from routh.kernels.kernel import Point, kernel
from routh.language.driven import driven
from routh.language.gates import checked_numeric
from routh.language.symbols import t
from routh.language.system import System
from routh.language.walk import leaves
from routh.numerics.gauss import FEWEST, transitions

TOLERANCE = 1e-10
"""Change of a monodromy matrix, relative to its largest entry, when steps are halved: what is left is
some three hundred times smaller, since the method is of order eight."""

SAMPLES, LOOKED = 512, 24
"""Times of a period, and points of a batch, at which short pulses are looked for."""


def floquet(
    system: System | PeriodicMotion,
    values: Numbers | None = None,
    period: Any = None,
    *,
    guess: Numbers | None = None,
    inputs: Numbers | None = None,
) -> Floquet:
    """What a period does to small motions about a rest of a periodically driven system.

    Eigenvalues of frozen matrices say nothing where matrices depend on time; multipliers do.

    Arguments:
        system: the system; it must have a rest that stays one at all times. Or what `periodic_motion`
            returned, alone.
        values: a number or an array for each parameter; a stability chart is one call.
        period: the period of the drive, a number or an array that broadcasts against the values.
        guess: near which rest.
        inputs: for each input a number or an expression in t with this period.

    Raises:
        DeclarationError: the period is none of the matrices, or no positive number.
        DerivationError: constraints hold the system.
        NoEquilibrium: the drive leaves no rest: look for a `periodic_motion`.

    Example:
        >>> from routh import coordinate, cos, ddt, parameters, pi, System, t
        >>> x, (a, q) = coordinate("x"), parameters("a q")
        >>> mathieu = System(kinetic=ddt(x)**2/2, potential=(a - 2*q*cos(2*t))*x**2/2)
        >>> str(floquet(mathieu, {"a": 0.5, "q": 0.1}, float(pi)).verdict)
        'stable'
    """
    if isinstance(system, PeriodicMotion):
        return system.floquet
    if values is None or period is None:
        raise DeclarationError("floquet needs a system, values and a period; or a periodic motion.")
    made = driven(checked_numeric(system, "floquet"), inputs)
    if made.constraints:
        raise DerivationError(
            f"floquet works on systems without constraints, and {system.title} has some. Choose"
            " coordinates that meet them."
        )
    T = number(period, "`period`")
    if not (np.isfinite(T).all() and (T > 0).all()):
        raise DeclarationError(f"`period` must be a positive number. Got {period!r}.")
    rest = equilibrium(made, values, guess=guess)
    given = rest.conditions
    shape = np.broadcast_shapes(given.shape, T.shape)
    if shape != given.shape:
        spread = {name: np.broadcast_to(v, shape) for name, v in given.values.items()}
        place = {q: np.broadcast_to(rest.q[..., k], shape) for k, q in enumerate(made.coordinates)}
        rest = equilibrium(made, spread, guess=place)
        given = rest.conditions
    spans = np.broadcast_to(T, shape).reshape(-1).astype(float)
    count, n = given.count, len(made.coordinates)

    engine, still = kernel(rest.system), rest.point()

    def matrices(which: Any, times: Array) -> Array:
        """(K, 2n, 2n): the matrix of Hamilton's equations at some points of the batch and times."""
        point = Point(times[:, None], *(each[which] for each in still.arguments[1:]))
        return canonical_blocks(engine.second_derivatives(point))["A"]

    _refuse_jumps(made)
    kinks = smooth_at(engine, still, order=1, inputs=False)
    if not given.shape:
        kinks.refuse(
            f"Growth about the rest of {system.title} is not linear: the equations have a kink there",
            "Write the function smooth, or look at motions with simulate.",
        )
    _refuse_other_period(matrices, spans, count)
    zero = np.zeros(count)
    fewest = _fewest(matrices, spans, count)
    grown, _ = transitions(matrices, zero, spans, 2 * n, TOLERANCE, fewest)
    found = np.atleast_1d(rest.converged).reshape(-1)
    grown[~found | kinks.broken] = np.nan
    if not given.shape and not np.isfinite(grown).all():
        raise SolveError(
            f"The growth over a period of {float(spans[0]):.6g} s could not be computed: too much"
            " happens within it. Give the shortest period of the drive."
        )
    fold = given.folded
    return Floquet(system, fold(grown), fold(spans), rest)


def _refuse_jumps(system: System) -> None:
    """A drive that jumps is not seen by steps of a fixed size."""
    jumping = [node for node in pieces(system) if t in leaves([node])]
    if jumping:
        raise DerivationError(
            f"The drive of {system.title} has a jump or a kink in time, in"
            f" `{shortened(jumping[0], 60)}`, which floquet's method of high order does not see. Write"
            " it smooth, like tanh(20*sin(t)) for sign(sin(t))."
        )


def _fewest(matrices: Any, spans: Array, count: int) -> int:
    """Steps to begin with: enough that no short pulse of the drive falls between two of them."""
    which = np.unique(np.linspace(0, count - 1, min(count, LOOKED)).astype(int))
    shares = (np.arange(SAMPLES) + 0.5) / SAMPLES
    times = shares * spans[which, None]
    found = matrices(np.repeat(which, SAMPLES), times.reshape(-1)).reshape(len(which), SAMPLES, -1)
    reach = np.ptp(found, axis=1)
    jump = np.abs(np.diff(found, axis=1, append=found[:, :1])).max(axis=1)
    share = np.divide(jump, reach, out=np.zeros_like(jump), where=reach > 1e-12 * np.abs(found).max())
    wanted = 2 * SAMPLES * float(share.max(initial=0))
    return int(2 ** np.ceil(np.log2(np.clip(wanted, FEWEST, SAMPLES))))


def _refuse_other_period(matrices: Any, spans: Array, count: int) -> None:
    """The matrices must be the same a period later."""
    which = np.arange(count)
    for share in PROBES:
        here, later = matrices(which, share * spans), matrices(which, (1 + share) * spans)
        size = np.maximum(np.abs(here).max(axis=(1, 2)), 1e-300)
        off = np.abs(later - here).max(axis=(1, 2)) / size
        if (off > SAME).any():
            k = int(np.argmax(off))
            raise DeclarationError(
                f"The equations do not have the period {spans[k]:.6g}: a period later their matrices"
                f" differ by {off[k]:.1e} of their size. Give the period of the drive, like 2*pi/Omega."
            )
