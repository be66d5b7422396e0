"""Modes: eigenvalues in pairs, and frequencies, damping ratios and shapes read off them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.field_values import field_slopes
from routh.analysis.given.knob import knob
from routh.analysis.given.large import refuse_large
from routh.analysis.given.numbers import number
from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.linearize import linearize
from routh.analysis.linear.spectrum import linear_spectrum
from routh.analysis.sensitivities.modes_sensitivity import ModesSensitivity, modes_sensitivity
from routh.analysis.stability.comparison import CONVERGED, comparison
from routh.analysis.stability.judge import judge, stability
from routh.analysis.stability.refinement import described
from routh.analysis.stability.tracking import between
from routh.analysis.stability.verdict import Stability
from routh.arrays import Array, Complex
from routh.errors import (
    DeclarationError,
    DerivationError,
    did_you_mean,
    listed,
    quoted,
)
from routh.kernels.engine import Engine
from routh.kernels.kernel import kernel
from routh.language.fields import Field
from routh.language.symbols import Coordinate
from routh.numerics.solving.crossing import crossing
from routh.shown import as_html


@dataclass(frozen=True, eq=False, repr=False)
class Modes:
    """The free motions exp(s t) of a linear model, in pairs.

    A mode is a pair of eigenvalues: two conjugate ones, or two real ones (the largest with the
    smallest). Modes are sorted by rising frequency, those that do not oscillate first; or, where they
    were followed (`track=True`), mode k is the same one along the whole sweep. Modes of discretized
    fields are sorted by their natural frequency, the root of the product of the pair: damping inside
    a material makes high modes overdamped, and they stay behind the low ones.

    Attributes:
        eigenvalues: (..., 2r) complex, in 1/s; entries 2k and 2k + 1 belong to mode k.
        infinite: (...) how many eigenvalues are infinite, because some direction has no mass.
        order: (..., r) where the modes were followed along a sweep or chosen, the place of each in
            the order of rising frequency; None where they are all in that order.
        accuracy: with converged=..., the largest relative change of the eigenvalues asked for when
            the fields got more functions, or more where functions cannot follow how properties vary;
            None without.
        lowest: (n, 2r) the eigenvectors of systems of very many coordinates, of which the lowest modes
            alone are known. The fast partner of an overdamped mode is NaN where it was not found.
        is_tracked: whether the modes were followed along a sweep.
        engine: which engine found the eigenvalues: "c" or "cuda" where code was compiled for most of
            the points.
    """

    linear: LinearModel
    eigenvalues: Annotated[Complex, "*batch s"]
    infinite: Annotated[NDArray[np.intp], "*batch"]
    order: Annotated[NDArray[np.intp], "*batch r"] | None = None
    accuracy: float | None = None
    lowest: Annotated[Complex, "n s"] | None = None
    is_tracked: bool = False
    engine: Engine = Engine.CASADI

    @property
    def _first(self) -> Complex:
        return self.eigenvalues[..., ::2]

    @property
    def _second(self) -> Complex:
        """The partner of each; a lone real eigenvalue is its own."""
        width = self.eigenvalues.shape[-1]
        even = (
            self.eigenvalues if width % 2 == 0 else np.insert(self.eigenvalues, width, np.nan, axis=-1)
        )
        return np.where(np.isnan(even[..., 1::2]), even[..., ::2], even[..., 1::2])

    @property
    def frequencies(self) -> Annotated[Array, "*batch r"]:
        """(..., r) rad/s: how fast each mode oscillates, |Im s|; 0 where it does not."""
        return np.where(np.isnan(self._first.real), np.nan, np.abs(self._first.imag))

    @property
    def damping(self) -> Annotated[Array, "*batch r"]:
        """(..., r) damping ratio: -Re s / |s|, above 1 for two real decaying roots.

        For a pair with the product w^2 and the sum -2 z w it is z. NaN where a ratio has no
        meaning: a divergence or a rigid-body motion. Negative for growing oscillations.
        """
        product = (self._first * self._second).real
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = -(self._first + self._second).real / (2 * np.sqrt(product))
        sure = product > 0
        if self.lowest is not None:  # NaN is a partner that there is, and not known
            sure &= ~np.isnan(self.eigenvalues[..., 1::2].real)
        return np.where(sure, ratio + 0.0, np.nan)

    def pair(self, k: int) -> Complex:
        """The eigenvalues of mode k of one point, two or, where it has no partner, one."""
        both = self.eigenvalues[2 * k : 2 * k + 2]
        return both[~np.isnan(both.real)]

    @cached_property
    def converged(self) -> Annotated[NDArray[np.bool_], "*batch r"] | None:
        """(..., r) which modes of a discretized field are converged; None where that is not known.

        The eigenvalues of one change by less than a thousandth with another number of functions, and
        its shape is found there too.
        """
        if self.accuracy is not None and self.accuracy <= CONVERGED:
            return np.ones(self._first.shape, dtype=bool)
        beside = comparison(self.linear) if self.linear.system.shapes else None
        if beside is None:
            return None
        stacked, fold = (
            self.linear.reference.conditions.stacked,
            self.linear.reference.conditions.folded,
        )
        found = []
        for k, both in enumerate(zip(stacked(self._first), stacked(self._second), strict=True)):
            first, second = (beside.converged(k, values) for values in both)
            found.append(first & second & ~np.isnan(both[0].real))
        return fold(np.array(found))

    @property
    def rigid(self) -> Annotated[NDArray[np.bool_], "*batch r"]:
        """(..., r) which modes are rigid-body motions: one eigenvalue at least is zero."""
        return np.asarray((self._first == 0) | (self._second == 0))

    @cached_property
    def eigenvectors(self) -> Annotated[Complex, "*batch n s"]:
        """(..., n, 2r) complex: how the coordinates move with each eigenvalue.

        Each is scaled so that its largest entry is 1; of entries alike to 1e-6 the first is taken.
        That fixes sign and phase.
        """
        if self.lowest is not None:
            return np.asarray(_normalized(self.lowest[None])[0])
        found = linear_spectrum(self.linear, vectors=True).vectors
        assert found is not None
        Z = self.linear.reference.conditions.stacked(self.linear.Z)
        vectors = self.linear.reference.conditions.folded(_normalized(Z @ found))
        return vectors if self.order is None else ordered(vectors, self.order[..., None, :])

    @property
    def shapes(self) -> Annotated[NDArray[Any], "*batch n r"]:
        """(..., n, r): the eigenvector of the first eigenvalue of each mode; real if all are."""
        shapes = self.eigenvectors[..., ::2]
        return shapes.real if not np.any(shapes.imag) else shapes

    def field(self, field: Field | str, k: int, places: object) -> NDArray[Any]:
        """(..., points): the shape of mode k of a field of a discretized system, along the space.

        The largest amplitude of the mode's eigenvector is 1, of whatever coordinate.
        """
        count = self.shapes.shape[-1]
        if not isinstance(k, (int, np.integer)) or not -count <= k < count:
            raise DeclarationError(f"Expected the number of a mode, below {count}. Got {k!r}.")
        given = self.linear.reference.conditions
        engine = kernel(self.linear.system)
        slopes = field_slopes(engine, self.linear.reference.point(), field, places)
        vectors = given.stacked(self.shapes)[..., k]
        return given.folded(np.einsum("npq,nq->np", slopes, vectors))

    def sensitivity(self, *parameters: object) -> ModesSensitivity:
        """Derivatives of the modes by parameters, inputs or given speeds; by all parameters if none.

        Third derivatives of the Lagrangian by algorithmic differentiation, with the move of the
        equilibrium and of what constraints allow: exact to rounding. Repeated eigenvalues have no
        derivative each, but slopes along every line of parameters (`splitting`, `directional`);
        defective ones have none. Points of a batch without derivatives have NaN.

        Raises:
            DeclarationError: a name is none of the system.
            DerivationError: matrices that are sparse, were frozen in time, or are those at constant
                momenta; one point without derivatives (a fold, a kink in second derivatives of the
                equations, constraints that depend on each other); a parameter that moves a jump along
                a space.

        Example:
            >>> import routh as rt
            >>> x, (m, k) = rt.coordinate("x"), rt.parameters("m k")
            >>> cart = rt.System(kinetic=m * rt.ddt(x)**2 / 2, potential=k * x**2 / 2)
            >>> found = rt.modes(rt.linearize(rt.equilibrium(cart, {"m": 1.0, "k": 4.0})))
            >>> found.sensitivity("k", "m").frequencies
            array([[ 0.25, -1.  ]])
        """
        linear = self.linear
        if linear.is_sparse:
            refuse_large(linear.system)
        if linear.time is not None or linear.held is not None:
            what = "were frozen in time" if linear.time is not None else "are those at constant momenta"
            raise DerivationError(
                f"sensitivity is for the modes of linearize(rest) itself. The matrices of this model"
                f" {what}."
            )
        given = linear.reference.conditions
        among = given.folded(linear_spectrum(linear, vectors=False).values)
        vectors = self.eigenvectors
        if linear.system.constraints:
            full = linear.descriptor
            matrices = given.stacked(full.M), given.stacked(full.C), given.stacked(full.K)
            return modes_sensitivity(
                linear.reference, matrices, None, self.eigenvalues, among, vectors, parameters
            )
        own = linear.own
        matrices = own.M, own.C, own.S
        return modes_sensitivity(
            linear.reference, matrices, own.V, self.eigenvalues, among, vectors, parameters
        )

    def whirl(self, x: Coordinate | str, y: Coordinate | str) -> Array:
        """(..., r): how each mode turns in the plane of two coordinates.

        1 for a circle from x towards y, -1 for one the other way, 0 for a straight line: the area that
        is swept, compared with that of a circle of the same size.
        """
        places = []
        names = {q.name: q for q in self.linear.coordinates}
        for given in (x, y):
            q = names.get(given) if isinstance(given, str) else given
            if not isinstance(q, Coordinate) or q not in self.linear.coordinates:
                raise DeclarationError(
                    f"whirl needs two coordinates of {self.linear.system.title}: {listed(names)}. Got"
                    f" {quoted([given])}." + did_you_mean(given, names)
                )
            places.append(self.linear.coordinates.index(q))
        vectors, s = self.eigenvectors[..., ::2], self._first
        X, Y = vectors[..., places[0], :], vectors[..., places[1], :]
        size = np.abs(X) ** 2 + np.abs(Y) ** 2
        with np.errstate(invalid="ignore", divide="ignore"):
            turn = -2 * (X.conj() * Y).imag * np.sign(s.imag) / size
        return np.asarray(np.nan_to_num(turn))

    def critical_speeds(self, against: object, *, order: float = 1.0) -> Array:
        """(c,) values of a swept parameter at which some frequency equals `order` times it.

        At such speeds of a rotor an unbalance (order 1) shakes it in resonance. Each is located by
        computing modes in between.

        Example:
            >>> import routh as rt
            >>> x, omega = rt.coordinate("x"), rt.parameter("omega")
            >>> blade = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=(3 + omega**2 / 4) * x**2 / 2)
            >>> found = rt.modes(rt.linearize(rt.equilibrium(blade, {"omega": [0.0, 1.0, 2.0, 3.0]})))
            >>> found.critical_speeds(omega)
            array([2.])
        """
        factor = number(order, "`order`")
        if factor.shape or factor <= 0:
            raise DeclarationError(f"`order` must be a number above zero. Got {order!r}.")
        swept = self.swept(against)
        frequencies = np.sort(self.frequencies, axis=1)  # each is continuous along the sweep
        excess = frequencies - float(factor) * swept[:, None]
        found = [float(swept[k]) for k, _ in np.argwhere(excess == 0)]
        for k, place in np.argwhere(excess[:-1] * excess[1:] < 0).tolist():
            at = partial(self._excess, k, place, float(factor), swept)
            share = crossing(at, 0.0, 1.0, ends=(excess[k, place], excess[k + 1, place]))
            found.append(swept[k] + share * (swept[k + 1] - swept[k]))
        return np.sort(np.array(found))

    def _excess(self, k: int, place: int, order: float, swept: Array, share: float) -> float:
        """How far a frequency is above the order between points k and k + 1."""
        rest = between(self.linear.reference, k, k + 1, share)
        linear = linearize(rest, time=self.linear.time)
        found, fold = linear_spectrum(linear, vectors=False), rest.conditions.folded
        frequencies = np.sort(Modes(linear, fold(found.values), fold(found.infinite)).frequencies)
        return float(frequencies[place] - order * (swept[k] + share * (swept[k + 1] - swept[k])))

    def swept(self, against: object) -> Array:
        """(k,) the values of a parameter, input or velocity along a sweep of one axis."""
        given = self.linear.reference.conditions
        moved = knob(self.linear.system, given, against)
        values = moved.value(given)
        if len(given.shape) != 1 or (np.ptp(values) == 0 and len(values) > 1):
            raise DeclarationError(
                f"Expected modes along one array of values of `{moved.symbol}`. Got"
                + (
                    " a single point."
                    if not given.shape
                    else f" a batch of shape {given.shape} in which it is"
                    f" {'constant' if np.ptp(values) == 0 else 'not alone'}."
                )
            )
        return values

    @cached_property
    def stability(self) -> Stability:
        """The verdict on the linear model, with its reason, from all modes whichever are listed."""
        if self.order is None:
            return judge(self.linear, self.eigenvalues)
        return stability(self.linear)

    def __repr__(self) -> str:
        return f"Modes({self.linear.system.title}, eigenvalues {self.eigenvalues.shape})"

    def __str__(self) -> str:
        if self.linear.shape:
            r = self.frequencies.shape[-1]
            return f"{r} modes of {self.linear.system.title}, batch of shape {self.linear.shape}."
        lines = [f"Lowest modes of {self.linear.system.title}."]
        if not self.linear.is_sparse:
            lines = [f"Modes of {self.linear.system.title}: {self.stability}"]
        elif self.linear.time is not None:
            lines[0] += (
                f" The matrices depend on time and were frozen at t = {self.linear.time:g}; their"
                " eigenvalues decide nothing."
            )
        if self.accuracy is not None:
            n = described(self.linear.system)
            lines.append(f"Converged to {self.accuracy:.1e} with {n}.")
        known = self.converged
        lines += [
            f"{k + 1}: {self._described(k)}"
            + (", not converged" if known is not None and not known[k] else "")
            for k in range(len(self.frequencies))
        ]
        if self.infinite:
            lines.append(f"{self.infinite} eigenvalues are infinite: some direction has no mass.")
        return "\n".join(lines)

    def _described(self, k: int) -> str:
        if self.frequencies[k]:
            return f"{self.frequencies[k]:.8g} rad/s, damping {self.damping[k]:.4g}"
        pair = " and ".join(f"{s.real:.6g}" for s in self.pair(k))
        kind = "rigid body" if not self.pair(k).any() else "no oscillation"
        return f"{kind}, s = {pair} 1/s"

    _repr_html_ = as_html


def ordered(array: Complex, order: NDArray[np.intp]) -> Complex:
    """Entries 2k and 2k + 1 along the last axis moved to where an order has them."""
    both = np.stack([2 * order, 2 * order + 1], axis=-1).reshape(*order.shape[:-1], -1)
    both = both[..., both.reshape(-1, both.shape[-1])[0] < array.shape[-1]]  # a lone real one is last
    return np.take_along_axis(
        array, np.broadcast_to(both, (*array.shape[:-1], both.shape[-1])), axis=-1
    )


def _normalized(vectors: Complex) -> Complex:
    size = np.abs(vectors)
    largest = size.max(axis=1, keepdims=True, initial=0)
    with np.errstate(invalid="ignore"):
        first = np.argmax(size >= (1 - 1e-6) * largest, axis=1)[:, None, :]
        scaled = vectors / np.take_along_axis(vectors, first, axis=1)
    clean = np.where(np.abs(scaled.imag) < 1e-12, scaled.real + 0j, scaled)
    return np.where(np.abs(clean.real) < 1e-14, 1j * clean.imag, clean)
