"""`modes.sensitivity`: how eigenvalues, frequencies, damping and shapes change with parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.analysis.given.knob import knob
from routh.analysis.given.numbers import number
from routh.analysis.given.protocols import Found
from routh.analysis.sensitivities.asked_knobs import asked_knobs
from routh.analysis.sensitivities.moved_rest import Moves, loosely, moves, unmoved
from routh.analysis.sensitivities.pencil_slopes import pencil_slopes
from routh.arrays import Array, Complex, Mask
from routh.errors import DeclarationError, listed
from routh.language.system import System
from routh.numerics.spectra.eigen_slopes import SAME, Group, eigen_slopes
from routh.shown import as_html

UNDAMPED = 1e-9
"""Real parts below this share of the largest eigenvalue are alike when the critical mode is chosen."""


@dataclass(frozen=True, eq=False, repr=False)
class ModesSensitivity:
    """Derivatives of modes by parameters, inputs or steady velocities, the equilibrium moving along.

    Repeated eigenvalues have no derivative each: `splitting` says how they part along every parameter
    alone, `directional` along any line. Defective ones, and zeros of a free motion, move by
    roots of the parameters or stay: nothing is told of them. Both are NaN in all arrays of derivatives,
    and `remark` names them.

    Attributes:
        rest: the rest or steady motion that the modes are about.
        parameters: what the derivatives are by, the last axis of all arrays.
        s: (..., s) the eigenvalues themselves; entries 2k and 2k + 1 belong to mode k.
        eigenvalues: (..., s, parameters) their derivatives.
        eigenvectors: (..., n, s, parameters) those of the eigenvectors, whose entry that is 1 stays so.
        multiplicity: (..., s) how many eigenvalues are equal to each; 0 where there is none.
        defective: (..., s) where eigenvectors are lacking, or the eigenvalue is zero by a free motion.
        lost: (..., s) where rounding leaves no digits, as of soft motions beside very stiff ones.
    """

    rest: Any
    parameters: tuple[sympy.Symbol, ...]
    s: Annotated[Complex, "*batch s"]
    eigenvalues: Annotated[Complex, "*batch s parameters"]
    eigenvectors: Annotated[Complex, "*batch n s parameters"]
    multiplicity: Annotated[NDArray[np.intp], "*batch s"]
    defective: Annotated[Mask, "*batch s"]
    lost: Annotated[Mask, "*batch s"]
    _moves: Moves = field(repr=False)
    _groups: tuple[Group, ...] = field(repr=False)

    @property
    def system(self) -> System:
        """The system it is about."""
        found: System = self.rest.system
        return found

    @property
    def frequencies(self) -> Annotated[Array, "*batch r parameters"]:
        """(..., r, parameters) derivatives of frequencies |Im s|; 0 where a mode does not oscillate."""
        first, rates = self.s[..., ::2], self.eigenvalues[..., ::2, :]
        return np.where(np.isnan(rates), np.nan, np.sign(first.imag)[..., None] * rates.imag + 0.0)

    @property
    def damping(self) -> Annotated[Array, "*batch r parameters"]:
        """(..., r, parameters) derivatives of the damping ratios; NaN where a ratio has no meaning."""
        s, other = _pairs(self.s[..., None])
        ds, d_other = _pairs(self.eigenvalues)
        total, product = (s + other).real, (s * other).real
        d_total, d_product = (ds + d_other).real, (ds * other + s * d_other).real
        with np.errstate(invalid="ignore", divide="ignore"):
            w = np.sqrt(product)
            found = -d_total / (2 * w) + total * d_product / (4 * w**3)
        return np.where(product > 0, found, np.nan)

    @property
    def shapes(self) -> Annotated[NDArray[Any], "*batch n r parameters"]:
        """(..., n, r, parameters) derivatives of the shapes; real if all are."""
        shapes = self.eigenvectors[..., ::2, :]
        return shapes.real if not np.any(np.nan_to_num(shapes.imag)) else shapes

    @cached_property
    def splitting(self) -> Annotated[Complex, "*batch s parameters"]:
        """(..., s, parameters) how eigenvalues move along each parameter alone, repeated ones too.

        Where m eigenvalues are equal their m slopes stand in rising order. They are derivatives along
        one parameter at a time, and do not add up: `directional` takes several together.
        """
        every = np.eye(len(self.parameters))
        return np.stack([self._along(direction) for direction in every], axis=-1)

    def directional(self, direction: Mapping[Any, float]) -> Annotated[Complex, "*batch s"]:
        """(..., s) how the eigenvalues move along a line, as many of each parameter as given.

        Example:
            >>> import routh as rt
            >>> x, y = rt.coordinates("x y")
            >>> m, k = rt.parameters("m k")
            >>> kinetic = m * (rt.ddt(x)**2 + rt.ddt(y)**2) / 2
            >>> plate = rt.System(kinetic=kinetic, potential=(k * x**2 + 4 * y**2) / 2)
            >>> rest = rt.equilibrium(plate, {"m": 1.0, "k": 4.0})
            >>> found = rt.modes(rt.linearize(rest)).sensitivity("k", "m")
            >>> found.multiplicity.tolist()
            [2, 2, 2, 2]
            >>> (found.directional({"k": 1.0})[::2].imag + 0.0).round(6)
            array([0.  , 0.25])
        """
        if not isinstance(direction, Mapping) or not direction:
            raise DeclarationError(
                f"`direction` is how much there is of each parameter, like"
                f" {{{self.parameters[0]}: 1.0}}. Got {direction!r}."
            )
        shares = np.zeros(len(self.parameters))
        for name, share in direction.items():
            symbol = knob(self.system, self.rest.conditions, name).symbol
            if symbol not in self.parameters:
                raise DeclarationError(
                    f"`{name}` was not asked for: sensitivity({listed(self.parameters)}) was. Name it"
                    " there too."
                )
            value = number(share, f"`direction` of `{name}`")
            if value.shape:
                raise DeclarationError(f"`direction` has one number for `{name}`. Got {share!r}.")
            shares[self.parameters.index(symbol)] = value
        return self._along(shares)

    def _along(self, shares: Array) -> Complex:
        given = self.rest.conditions
        used = np.flatnonzero(shares)
        found = given.stacked(self.eigenvalues)[..., used] @ shares[used].astype(complex)
        known = np.asarray(self._moves.known[:, used].all(axis=1))
        for group in self._groups:
            parts = np.linalg.eigvals(np.einsum("p,pij->ij", shares[used], group.slopes[used]))
            s = given.stacked(self.s)[group.point, group.places[0]]
            if len(parts) == len(group.places) and known[group.point]:
                found[group.point, list(group.places)] = parts[_rising(parts, s)]
        return given.folded(found)  # type: ignore[no-any-return]

    @property
    def relative(self) -> Annotated[Complex, "*batch s parameters"]:
        """(..., s, parameters) `p/s ds/dp` along each parameter alone: changes in shares of both."""
        p = np.stack([each.value(self.rest.conditions) for each in self._moves.knobs], axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = self.splitting * self.rest.conditions.folded(p)[..., None, :] / self.s[..., None]
        return np.where(self.s[..., None] == 0, np.nan, found)

    @property
    def critical(self) -> int:
        """The mode of one point that decides: of largest Re s, of those alike the slowest.

        Modes at zero are left aside; -1 where there is no other.
        """
        self._refuse_batch("The critical mode is")
        s = self.s
        chosen = np.flatnonzero(np.isfinite(s) & (s != 0))
        if not len(chosen):
            return -1
        growth, size = s[chosen].real, np.abs(s[chosen])
        top = chosen[growth >= growth.max() - UNDAMPED * size.max()]
        return int(top[np.argmin(np.abs(s[top]))]) // 2

    def strongest(self, mode: int | None = None) -> tuple[int, ...]:
        """The places of the parameters of one point, those first that change a mode most.

        By `|p/s ds/dp|` of the eigenvalue of largest real part of the mode, the critical one if none is
        given; of equal eigenvalues that counts which moves most. Parameters without such a number come
        last.
        """
        size = np.abs(self.influences(mode)[0])
        return tuple(int(k) for k in np.argsort(-np.where(np.isnan(size), -1.0, size), kind="stable"))

    def influences(
        self, mode: int | None = None
    ) -> tuple[Annotated[Complex, "parameters"], Annotated[Complex, "parameters"]]:
        """`p/s ds/dp` and `ds/dp` of a mode of one point, the critical one if none is given.

        Those of its eigenvalue of largest real part; of equal eigenvalues the one that moves most.
        """
        place = self.place(mode)
        s = self.s[place]
        same = np.flatnonzero(np.abs(self.s - s) <= SAME * abs(s))
        size = np.abs(self.splitting[same])
        most = same[np.argmax(np.where(np.isnan(size), -1.0, size), axis=0)]
        every = np.arange(len(self.parameters))
        return self.relative[most, every], self.splitting[most, every]

    def place(self, mode: int | None = None) -> int:
        """Where the eigenvalue of a mode of one point stands: of largest Re s, but for zeros.

        Of the critical mode if none is given.
        """
        self._refuse_batch("The place of an eigenvalue is")
        count = (len(self.s) + 1) // 2
        chosen = self.critical if mode is None else mode
        if not isinstance(chosen, (int, np.integer)) or not 0 <= chosen < count:
            raise DeclarationError(
                f"Expected the number of a mode, from 0 to below {count}. Got {chosen!r}."
            )
        pair = self.s[2 * chosen : 2 * chosen + 2]
        aside = np.isnan(pair) | (pair == 0)
        return int(2 * chosen + np.argmax(np.where(aside, -np.inf, pair.real)))

    def _refuse_batch(self, what: str) -> None:
        if self.rest.conditions.shape:
            raise DeclarationError(
                f"{what} for one point. Got a batch of shape {self.rest.conditions.shape}: take a point"
                " of it, as rest.single(k), or read `relative`."
            )

    @property
    def remark(self) -> str:
        """What the numbers alone do not say, or nothing."""
        defective = self.defective
        sentences = [
            _named(
                (self.multiplicity > 1) & ~defective,
                "{} equal eigenvalues: none of them has a derivative of its own; `splitting` and"
                " `directional` say how they part, where all of them are listed.",
            ),
            _named(
                defective & (self.s != 0),
                "{} defective eigenvalues: they move by roots of the parameters and have no"
                " derivative.",
            ),
            _named(self.lost, "{} lost digits: stiffer motions beside it leave no derivative."),
            _named(
                defective & (self.s == 0),
                "{} zero eigenvalues, of a free motion: nothing is told of it.",
            ),
        ]
        return " ".join(filter(None, [*sentences, loosely(self._moves), unmoved(self._moves)]))

    def __repr__(self) -> str:
        return f"ModesSensitivity({self.system.title}, by {listed(self.parameters)})"

    def __str__(self) -> str:
        head = f"Derivatives of the modes of {self.system.title} by {listed(self.parameters)}"
        if self.rest.conditions.shape:
            return f"{head}, in a batch of shape {self.rest.conditions.shape}. {self.remark}".strip()
        lines = [f"{head}."]
        if self.critical >= 0:
            s = self.s[self.place()]
            relative, rates = self.influences()
            lines.append(
                f"What changes mode {self.critical + 1}, s = {_complex(s)} 1/s, most, by |p/s ds/dp|:"
            )
            lines += [
                f"{self.parameters[k]}: {abs(relative[k]):.4g}, ds/dp = {_complex(rates[k])}"
                for k in self.strongest()
            ]
        return "\n".join([*lines, *filter(None, [self.remark])])

    _repr_html_ = as_html


def modes_sensitivity(
    rest: Found,
    matrices: tuple[Array, Array, Array],
    V: Array | None,
    s: Complex,
    among: Complex,
    vectors: Complex,
    chosen: Sequence[object],
) -> ModesSensitivity:
    """The derivatives of modes by what was chosen, or by all parameters.

    Arguments:
        rest: what they are about.
        matrices: M, C and K as stacks, in all coordinates and multipliers or along V.
        V: (N, n, n) motions of their own that the matrices are taken along, without constraints.
        s: (..., k) the eigenvalues.
        among: (..., all) all eigenvalues, whichever are listed.
        vectors: (..., n, k) the eigenvectors, an entry of each being 1.
        chosen: parameters, inputs, steady velocities.
    """
    given = rest.conditions
    knobs = asked_knobs(rest.system, given, chosen)
    moved = moves(rest, knobs, order=2)
    along = pencil_slopes(rest, moved, V)
    known = along.known
    n, size = len(rest.system.coordinates), matrices[0].shape[1]
    basis = np.broadcast_to(np.eye(n, size), (given.count, n, size)) if V is None else V
    values, every = given.stacked(s), given.stacked(among)
    free = np.zeros(values.shape, dtype=bool)
    if not all(rest.system.is_holonomic):  # zeros are those of places that velocity constraints leave
        free = values == 0
    slopes = (np.where(known[..., None, None], X, 0.0) for X in (along.M, along.C, along.K))
    one = np.argmax(np.abs(given.stacked(vectors) - 1) < 1e-9, axis=1)
    found = eigen_slopes(matrices, tuple(slopes), np.where(free, np.nan, values), every, basis, one)
    fold = given.folded
    lost = ~known[:, None]
    return ModesSensitivity(
        rest=rest,
        parameters=tuple(each.symbol for each in knobs),
        s=s,
        eigenvalues=fold(np.where(lost, np.nan, found.values)),
        eigenvectors=fold(np.where(lost[:, None], np.nan, found.vectors)),
        multiplicity=fold(found.multiplicity),
        defective=fold(found.defective | free),
        lost=fold(found.lost),
        _moves=Moves(moved.knobs, moved.turns, known, moved.loose),
        _groups=found.groups,
    )


def _pairs(X: Complex) -> tuple[Complex, Complex]:
    """The first and second of each pair along the axis before the last; a lone one is its own."""
    width = X.shape[-2]
    even = X if width % 2 == 0 else np.insert(X, width, np.nan, axis=-2)
    first, second = even[..., ::2, :], even[..., 1::2, :]
    return first, second if width % 2 == 0 else np.where(np.isnan(second), first, second)


def _rising(parts: Complex, s: complex) -> NDArray[np.intp]:
    """The order of slopes by rising frequency, then growth: the same for conjugate eigenvalues."""
    size = max(float(np.abs(parts).max(initial=0)), 1e-300)
    way = -1.0 if s.imag < 0 else 1.0
    return np.lexsort(((parts.real / size).round(9), (way * parts.imag / size).round(9)))


def _named(which: Mask, sentence: str) -> str:
    """A sentence about modes by number, or nothing; in a batch about points."""
    if not which.any():
        return ""
    if which.ndim > 1:
        count = int(which.reshape(-1, which.shape[-1]).any(axis=1).sum())
        return sentence.format(f"{count} points of the batch have")
    modes = list(dict.fromkeys(str(int(k) // 2 + 1) for k in np.flatnonzero(which)))
    if len(modes) == 1:
        return sentence.format(f"Mode {modes[0]} has")
    return sentence.format(f"Modes {', '.join(modes[:-1])} and {modes[-1]} have")


def _complex(s: complex) -> str:
    """A number as people write it."""
    if np.isnan(s):
        return "not known"
    if abs(s.imag) <= 1e-14 * abs(s):
        return f"{s.real:.6g}"
    real = f"{s.real:.6g}" if abs(s.real) > 1e-14 * abs(s) else ""
    sign = "-" if s.imag < 0 else "+" if real else ""
    return f"{real} {sign} {abs(s.imag):.6g}i".strip() if real else f"{sign}{abs(s.imag):.6g}i"
