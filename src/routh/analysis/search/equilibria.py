"""Every equilibrium in a box, by Newton's method from many starts until nothing new turns up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, overload

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.conditions import Conditions, conditions
from routh.analysis.given.engines import checked_engine
from routh.analysis.given.large import refuse_large
from routh.analysis.given.numbers import Numbers, number, yes_or_no
from routh.analysis.given.required import beyond
from routh.analysis.given.where import where
from routh.analysis.linear.linearize import linearize
from routh.analysis.pieces.kinks import pieces
from routh.analysis.rest import stray
from routh.analysis.rest.result import Equilibrium
from routh.analysis.search.box import Box, box
from routh.analysis.search.certificate import Certificate
from routh.analysis.search.rounds import Search
from routh.analysis.search.symmetries import Symmetry, symmetry
from routh.analysis.stability.judge import stability
from routh.analysis.stability.verdict import Stability, gathered
from routh.arrays import Array, Mask
from routh.errors import DeclarationError, DerivationError, SolveError, capital, needing
from routh.kernels.engine import Engine, Kernel
from routh.kernels.kernel import kernel
from routh.language.gates import checked_numeric
from routh.language.symbols import BySymbol
from routh.language.system import System
from routh.numerics.solving.newton import found
from routh.recorded import Recorded
from routh.shown import as_html


@dataclass(frozen=True, eq=False, repr=False)
class Equilibria(Recorded):
    """The equilibria of a system in a box: a sequence of `Equilibrium`, the stable ones first.

    Attributes:
        rest: all of them as one batch of shape (k,), for `linearize` and `modes`.
        stability: the verdicts with their reasons, a batch of shape (k,).
        dimension: (k,) 0 for an isolated equilibrium, d for a family with d parameters; `rest` then
            holds one member.
        orbit: (k,) how many of these dimensions are nothing but symmetry: what `symmetry` moves.
        symmetry: the continuous symmetries that were divided out, in words.
        copies: (k,) how many equilibria each stands for under the declared symmetries.
        box: where they were looked for.
        starts: how many starts Newton's method was given.
        saturated: whether every one was met several times and the last half of the starts brought
            nothing new. It is no proof: `certificate` is one.
        remarks: sentences on the search: why it is not saturated, where nothing can be said.
        certificate: the proof that the list is complete, or what it leaves open; None if not asked.
        engine: which engine the starts went by: "c" or "cuda" where code was compiled for most of them.
    """

    rest: Equilibrium
    stability: Stability
    dimension: Annotated[NDArray[np.intp], "k"]
    copies: Annotated[NDArray[np.intp], "k"]
    box: Box
    starts: int
    saturated: bool
    orbit: Annotated[NDArray[np.intp], "k"]
    symmetry: str = ""
    remarks: tuple[str, ...] = ()
    certificate: Certificate | None = field(default=None)
    engine: Engine = Engine.CASADI

    @property
    def system(self) -> System:
        """The system they belong to."""
        return self.rest.system

    @property
    def q(self) -> Annotated[Array, "k n"]:
        """(k, n) coordinates."""
        return self.rest.q

    @property
    def residual(self) -> Annotated[Array, "k"]:
        """(k,) largest violation of the equations, in their own units."""
        return self.rest.residual

    @property
    def index(self) -> Annotated[NDArray[np.intp], "k"]:
        """(k,) number of unstable directions of each: eigenvalues with positive real part."""
        return np.asarray(self.stability.index)

    @overload
    def __getitem__(self, k: int) -> Equilibrium: ...
    @overload
    def __getitem__(self, k: slice) -> list[Equilibrium]: ...
    def __getitem__(self, k: int | slice) -> Equilibrium | list[Equilibrium]:
        if isinstance(k, slice):
            return [self[i] for i in range(*k.indices(len(self)))]
        if not isinstance(k, (int, np.integer)):
            raise TypeError(f"Equilibria are taken by number, like found[0]. Got {k!r}.")
        if not -len(self) <= k < len(self):
            raise IndexError(f"Expected an index below {len(self)}, the number of equilibria. Got {k}.")
        return self.rest.single(k % len(self))

    def __iter__(self) -> Iterator[Equilibrium]:
        return (self[k] for k in range(len(self)))

    def __len__(self) -> int:
        return len(self.dimension)

    def __repr__(self) -> str:
        return f"Equilibria({self.system.title}, {len(self)} found)"

    def __str__(self) -> str:
        one, many = "equilibrium", "equilibria"
        if self._turning:
            one, many = "steady motion", "steady motions"
        count = len(self) or "no"
        head = f"{count} {one if len(self) < 2 else many}"
        lines = [f"{capital(self.system.title)} has {head} in the box. {self.completeness}"]
        if self.orbit.any():
            lines.append(f"Images under symmetries count as one: {self.symmetry}.")
        for k in range(len(self)):
            verdict = self.stability.verdict[k]
            place = where(self.system, self.q[k]) + self._rates(k)
            lines.append(f"{k + 1}: {place}: {self._kind(k)}{verdict}.")
            lines.append(f"   {self.stability.sentence[k]}")
        return "\n".join(lines)

    @property
    def _turning(self) -> tuple[int, ...]:
        return self.rest.turning

    def _rates(self, k: int) -> str:
        """The velocities of what turns."""
        rates = [(self.system.velocities[i], self.rest.v[k, i]) for i in self._turning]
        return "".join(f", {v} = {rate:.6g}" for v, rate in rates)

    def _kind(self, k: int) -> str:
        parts = []
        if self.dimension[k] > self.orbit[k]:
            parts.append(f"a family of dimension {self.dimension[k]}, ")
        elif self.dimension[k]:
            parts.append(f"moved by symmetry in a family of dimension {self.dimension[k]}, ")
        if self.copies[k] > 1:
            parts.append(f"{self.copies[k]} alike by symmetry, ")
        return "".join(parts)

    @property
    def completeness(self) -> str:
        """Whether there may be others, in a sentence."""
        if self.certificate is not None:
            outside = [remark for remark in self.remarks if remark.startswith(LEFT_OUT)]
            return " ".join([str(self.certificate), *outside])
        said = list(self.remarks)
        if self.saturated:
            starts = "1 start" if self.starts == 1 else f"{self.starts} starts"
            said.insert(0, f"{starts} brought {'no other' if len(self) else 'none'}.")
            if pieces(self.system):
                said.append("Kinks, where branches of a function meet, are not searched.")
        return " ".join(said)

    _repr_html_ = as_html


def equilibria(
    system: System,
    values: Numbers,
    within: Numbers | None = None,
    inputs: Numbers | None = None,
    *,
    speeds: Numbers | None = None,
    momenta: Numbers | None = None,
    symmetries: Iterable[BySymbol] = (),
    certify: bool = False,
    starts: int | None = None,
    engine: str = "auto",
) -> Equilibria:
    """Every equilibrium in a box, or every steady motion.

    Newton's method runs from evenly spread starts, all at once, in rounds that go on until every
    equilibrium was met several times and twice as many starts brought nothing new.

    Arguments:
        system: the system.
        values: a number for each parameter.
        within: a range (low, high) for each coordinate. Angles are recognized: coordinates written only
            inside sines, cosines and tangents. They default to one period about zero, and equilibria
            a period apart count as one.
        inputs: constants for inputs, zero if not given.
        speeds: rates of coordinates that move on steadily, as for `equilibrium`.
        momenta: their momenta, as for `equilibrium`.
        symmetries: maps of the coordinates that take equilibria to equilibria, like
            `[{x: -x}]` or `[{th1: th2, th2: th1}]`; those that map onto each other count as one.
        certify: prove that the list is complete, or return the boxes left undecided. Needs the
            extra `rigor`.
        starts: the most starts to try: the search goes on until it is saturated or they are spent. If
            not given, up to 65536, fewer where many of them lead nowhere.
        engine: "casadi", or "c": Newton's method compiled for all cores of this machine; "auto" does so
            where rounds are so large that it pays. Equilibria are the same to rounding; starts whose
            way is not plain are not left to it.

    Where equilibria form a curve or a surface, it is one entry with its `dimension`. Continuous
    symmetries, like a rotation of all bodies together, are found from the energies and divided out:
    what they take to each other counts as one, and `orbit` says how many dimensions are theirs.

    Raises:
        DeclarationError: a range is missing or empty; a parameter is an array.
        NoEquilibrium: there are positions of balance, but none at every time, or what turns is driven.
        DerivationError: `certify` with constraints, momenta, kinks, or time in the equations.
        MissingExtra: `certify` without the extra `rigor`.

    Example:
        >>> from routh import coordinate, parameters, ddt, cos, System
        >>> theta, (m, l, g) = coordinate("theta"), parameters("m l g")
        >>> pendulum = System(kinetic=m * l**2 * ddt(theta) ** 2 / 2, potential=-m * g * l * cos(theta))
        >>> found = equilibria(pendulum, dict(m=1, l=2, g=9.81))
        >>> [str(verdict) for verdict in found.stability.verdict]
        ['stable', 'unstable']
    """
    by = checked_engine(engine)
    refuse_large(checked_numeric(system, "equilibria"))
    given, _ = conditions(system, values, inputs, speeds=speeds, momenta=momenta)
    system = given.system
    _refuse_arrays(given)
    own = kernel(system)
    where = box(own, given, within)
    maps = _maps(system, symmetries)
    yes_or_no(certify, "certify")
    search = Search(own, given, where, _count(starts), by)
    search.run()
    certificate = _proof(own, given, search, where) if certify else None
    kept, dimension, copies = search.distinct(maps)
    away, said = beyond(system, search.batch().chosen(kept).point())
    kept, dimension, copies = kept[~away], dimension[~away], copies[~away]
    rest = search.batch().chosen(kept)
    held = np.flatnonzero(found(rest.status))
    lost, rest = len(kept) - len(held), rest.chosen(held)
    kept, dimension, copies = kept[held], dimension[held], copies[held]
    judged = _judged(rest) if len(kept) else gathered([])
    order = _order(own, rest, judged)
    return Equilibria(
        rest=rest.chosen(order),
        stability=judged.chosen(order),
        dimension=dimension[order],
        copies=copies[order],
        box=where,
        starts=search.starts,
        saturated=search.saturated,
        orbit=search.orbits.dimension(rest.q)[order],
        symmetry=str(search.orbits),
        remarks=tuple(
            note
            for note in (
                search.doubt,
                search.undefined,
                _lost(lost),
                _taken(own, rest),
                _left_out(away, said),
            )
            if note
        ),
        certificate=certificate and replace(certificate, proven=certificate.proven[kept][order]),
        engine=search.made_by,
    )


LEFT_OUT = "Left out:"
"""How the sentence begins on rests that a part of the system does not reach."""


def _left_out(away: Mask, said: str) -> str:
    count = int(away.sum())
    rests = f"{count} position{'s' * (count > 1)} of balance that a part of it does not reach"
    return f"{LEFT_OUT} {rests}. {said}" if count else ""


def _lost(count: int) -> str:
    """What is left out because it does not hold on a second look, a sentence or nothing."""
    if not count:
        return ""
    return (
        f"{'A place' if count == 1 else f'{count} places'} where starts ended"
        f" {'is' if count == 1 else 'are'} left out: on a second look the equations do not hold there."
    )


def _taken(engine: Kernel, rest: Equilibrium) -> str:
    """Which forces were taken for rounding, a sentence or nothing."""
    return stray.said(engine, rest.single(0).point()).strip() if rest.conditions.count else ""


def _proof(
    engine: Kernel,
    given: Conditions,
    search: Search,
    where: Box,
) -> Certificate:
    """The certificate; equilibria that it finds missing are added to the list first."""
    with needing("rigor", "python-flint", "A proof needs ball arithmetic"):
        from routh.analysis.search.certify import certified
    if given.momenta:
        raise DerivationError(
            "A proof works with speeds, not with momenta: give the rates in `speeds`, or certify=False."
        )
    certificate, missed = certified(engine, given, search.batch().q, where, search.has_families)
    if len(missed):
        search.add(missed)
        certificate, _ = certified(engine, given, search.batch().q, where, search.has_families)
    return certificate


def _maps(system: System, symmetries: object) -> list[Symmetry]:
    if isinstance(symmetries, Mapping) or not isinstance(symmetries, Iterable):
        raise DeclarationError(
            "`symmetries` must be a list of maps of coordinates to expressions, like [{x: -x}]. Got"
            f" {symmetries!r}."
        )
    return [symmetry(system, mapping) for mapping in symmetries]


def _order(engine: Kernel, rest: Equilibrium, judged: Stability) -> NDArray[np.intp]:
    """Fewest unstable directions first, then by the dynamic potential -L."""
    if not rest.conditions.count:
        return np.zeros(0, dtype=np.intp)
    level = -engine.lagrangian(rest.point())
    known = level[np.isfinite(level)]
    level = np.nan_to_num(level / ((np.ptp(known) if known.size else 0.0) or 1.0))
    return np.lexsort((*np.round(rest.q.T[::-1], 6), np.round(level, 9), judged.index))


def _judged(rest: Equilibrium) -> Stability:
    """The verdicts on a batch.

    One by one where points may differ in kind: in a steady motion a momentum may be kept at one
    point and not at another, and the rank of constraints may differ.
    """
    if not rest.turning:
        try:
            return stability(linearize(rest))
        except DerivationError:
            pass
    return gathered([_alone(rest.single(k)) for k in range(rest.conditions.count)])


def _alone(rest: Equilibrium) -> Stability | None:
    """The verdict on one point; matrices that depend on time are frozen, which decides nothing."""
    for time in (None, 0.0):
        try:
            return stability(linearize(rest, time=time))
        except DerivationError:
            continue
        except SolveError:
            break
    return None


def _refuse_arrays(given: Conditions) -> None:
    if given.shape:
        raise DeclarationError(
            "equilibria looks at one set of values at a time: expected a number for each parameter."
            f" Got arrays of shape {given.shape}. Loop over them, or follow one equilibrium with"
            " `follow`."
        )


def _count(starts: Any) -> int | None:
    if starts is None:
        return None
    value = number(starts, "`starts`")
    if value.shape or value < 1 or value != int(value):
        raise DeclarationError(f"`starts` must be a whole number above zero. Got {starts!r}.")
    return int(value)
