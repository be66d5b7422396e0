"""What a fit found: estimates, how well they are known, and what is left."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from scipy.special import ndtri, stdtrit

from routh.analysis.fitting.channels import Channel
from routh.analysis.fitting.estimation import BEND, HUBER, Estimate, leverages
from routh.analysis.fitting.identifiability import told_direction, undetermined_directions, units_of
from routh.analysis.fitting.shape_factors import count_shapes
from routh.analysis.fitting.unknowns import Unknowns
from routh.arrays import Array, Mask
from routh.errors import DeclarationError, Status, did_you_mean, listed, quoted
from routh.language.system import System
from routh.recorded import Recorded
from routh.shown import as_html

ARRIVED = "Converged: no change of the unknowns brings what is predicted nearer to what was measured."

NOTHING = 1e-299
"""A scatter below this is that of a column of zeros."""

FEW, HALF = 5, 0.5
"""Data of a column from which on one looks how much of their squares about the mean is left, and how
much is too much."""


@dataclass(frozen=True, eq=False, repr=False)
class Fit(Recorded):
    """Unknowns of a system by least squares, with their covariance, and the residuals.

    Attributes:
        system: the system.
        names: what is looked for, the order of all arrays; `theta of motion 2` where there are several.
        x: (k,) the estimates; where the data do not determine them, what they were near the guess.
        values: all parameters, those that were looked for with their estimates.
        starts: the start of each motion, likewise.
        channels: what was measured, column by column.
        residuals: for each channel measured less predicted.
        slopes: for each channel (rows, k) the derivatives of what is predicted by the unknowns.
        scatter: (channels,) the standard deviation of each channel by its residuals; 1 where standard
            deviations were given.
        at_bound: (k,) which estimates are at a bound.
        level: of the confidence intervals.
        loss: "squares" or "huber".
        status: how the search ended.
        evaluations: how often the model was computed, with its derivatives.
    """

    system: System
    names: tuple[str, ...]
    x: Annotated[Array, "k"]
    values: dict[Any, float]
    starts: tuple[dict[Any, Any], ...]
    channels: tuple[Channel, ...]
    residuals: tuple[Any, ...] = field(repr=False)
    slopes: tuple[Any, ...] = field(repr=False)
    scatter: Annotated[Array, "channels"]
    at_bound: Annotated[Mask, "k"]
    level: float
    loss: str
    status: Status
    evaluations: int

    @property
    def start(self) -> dict[Any, Any]:
        """The start of the only motion.

        Raises:
            DeclarationError: there are several motions, or none.
        """
        if len(self.starts) != 1:
            raise DeclarationError(
                f"The data have {len(self.starts)} motions. Their starts are listed in `starts`."
            )
        return self.starts[0]

    @property
    def estimates(self) -> dict[str, float]:
        """The estimates by name."""
        return dict(zip(self.names, self.x.tolist(), strict=True))

    def __getitem__(self, name: object) -> float:
        """One of the estimates."""
        if str(name) not in self.names:
            raise DeclarationError(
                f"`{name}` was not looked for. Unknown: {listed(self.names)}."
                + did_you_mean(name, self.names)
            )
        return float(self.x[self.names.index(str(name))])

    @property
    def converged(self) -> bool:
        """Whether the search ended where the sum of squares is least, near the first guess."""
        return self.status is Status.CONVERGED

    @property
    def is_determined(self) -> Annotated[Mask, "k"]:
        """(k,) which unknowns the data determine."""
        return np.asarray(~(self._directions != 0).any(axis=0))

    @property
    def undetermined(self) -> tuple[dict[str, float], ...]:
        """Combinations that the data do not determine: changes that change nothing, by name.

        In shares of the estimates, of an estimate that is zero as it is; the largest is 1.
        """
        return tuple(
            {name: float(change) for name, change in zip(self.names, row, strict=True) if change}
            for row in self._directions
        )

    @cached_property
    def _directions(self) -> Array:
        found = np.zeros((0, len(self.x)))
        free = np.flatnonzero(~self.at_bound)
        own = undetermined_directions(self._weighed[:, free], units_of(self.x[free]))
        if len(own):
            found = np.zeros((len(own), len(self.x)))
            found[:, free] = own
        return found

    @cached_property
    def _weighed(self) -> Array:
        """(rows, k) the slopes over the standard deviations."""
        parts = zip(self.channels, self.slopes, self.scatter, strict=True)
        return np.concatenate([J / (c.weight * s)[:, None] for c, J, s in parts])

    @property
    def _reduced(self) -> Array:
        """(rows,) the residuals over the standard deviations."""
        parts = zip(self.channels, self.residuals, self.scatter, strict=True)
        return np.concatenate([r / (c.weight * s) for c, r, s in parts])

    @cached_property
    def freedom(self) -> float:
        """How many more data there are than unknowns that they determine, factors of shapes too."""
        J = self._weighed[:, ~self.at_bound]
        return float(len(J) - round(float(leverages(J).sum())) - count_shapes(self.channels))

    @property
    def is_absolute(self) -> bool:
        """Whether standard deviations of all that was measured were given."""
        return all(c.is_known for c in self.channels)

    @cached_property
    def covariance(self) -> Annotated[Array, "k k"]:
        """(k, k) of the estimates, to first order: the inverse of J^T J over the scatter.

        Infinite for what the data do not determine; NaN for what a bound holds, and for all where no
        data are left over to show how much they scatter.
        """
        found = np.full((len(self.x), len(self.x)), np.nan)
        if not self.is_absolute and self.freedom < 1:
            return found
        own = np.flatnonzero(~self.at_bound & self.is_determined)
        J = self._weighed[:, ~self.at_bound] * units_of(self.x)[~self.at_bound]
        inverse = np.linalg.pinv(J.T @ J, rcond=1e-12, hermitian=True) * self._inflation
        inside = np.searchsorted(np.flatnonzero(~self.at_bound), own)
        units = units_of(self.x)[own]
        found[np.ix_(own, own)] = inverse[np.ix_(inside, inside)] * np.outer(units, units)
        loose = np.flatnonzero(~self.is_determined)
        found[loose, loose] = np.inf
        return found

    @property
    def _inflation(self) -> float:
        """What Huber's loss makes of the variance (Huber and Ronchetti 2009, ch. 7)."""
        if self.loss != HUBER:
            return 1.0
        u, count, k = self._reduced, len(self._reduced), len(self._reduced) - self.freedom
        inside = float((np.abs(u) <= BEND).mean())
        if not inside or self.freedom < 1:
            return float("nan")
        K = 1 + k / count * (1 - inside) / inside
        return float(K**2 * (np.clip(u, -BEND, BEND) ** 2).sum() / self.freedom / inside**2)

    @property
    def errors(self) -> Annotated[Array, "k"]:
        """(k,) standard errors of the estimates."""
        return np.sqrt(np.diagonal(self.covariance))

    @property
    def intervals(self) -> Annotated[Array, "k 2"]:
        """(k, 2) confidence intervals of each estimate alone, to first order.

        Of Student's distribution where the scatter is estimated, else of the normal one.
        """
        share = (1 + self.level) / 2
        wide = float(ndtri(share) if self.is_absolute else stdtrit(max(self.freedom, 1.0), share))
        return np.stack([self.x - wide * self.errors, self.x + wide * self.errors], axis=1)

    @property
    def correlation(self) -> Annotated[Array, "k k"]:
        """(k, k) of the estimates; NaN where the covariance is not finite."""
        finite = np.where(np.isfinite(self.covariance), self.covariance, np.nan)
        size = np.sqrt(np.diagonal(finite))
        return np.asarray(finite / np.outer(size, size))

    @property
    def misfit(self) -> float:
        """The sum of squares of residuals over standard deviations, over `freedom`.

        Where all standard deviations were given it is near 1 if the system is as it was measured; where
        none was, they are made so that it is 1.
        """
        return (
            float(self._reduced @ self._reduced / self.freedom) if self.freedom >= 1 else float("nan")
        )

    @property
    def message(self) -> str:
        """How the search ended."""
        return ARRIVED if self.converged else str(self.status)

    @property
    def remark(self) -> str:
        """What the numbers alone do not say, or nothing."""
        said = [told_direction(row, self.x, self.names) for row in self._directions]
        held = [name for name, at in zip(self.names, self.at_bound, strict=True) if at]
        if held:
            said.append(f"At a bound, which holds it: {quoted(held)}.")
        lost = [c.label for c, r in zip(self.channels, self.residuals, strict=True) if _misses(c, r)]
        if lost:
            said.append(
                f"What is predicted explains less than half of how {quoted(lost)} changes: guesses may"
                " be too far off, the model another, or scatter larger than what happens."
            )
        if not self.is_absolute and self.freedom < 1:
            said.append(
                "There are no more data than unknowns, so that nothing shows how much they scatter."
                " Give `deviations`, or measure more."
            )
        return " ".join(said)

    def __repr__(self) -> str:
        return f"Fit({self.system.title}, {listed(self.names)})"

    def __str__(self) -> str:
        count = sum(len(c.measured) for c in self.channels)
        lines = [
            f"Fit of {self.system.title} to {count} data by {self.evaluations} evaluations."
            f" {self.message}"
        ]
        share = f"{100 * self.level:g} %"
        for name, x, error, (low, high), known in zip(
            self.names, self.x, self.errors, self.intervals, self.is_determined, strict=True
        ):
            tail = (
                f" ± {error:.2g}, {share} between {low:.6g} and {high:.6g}" if np.isfinite(error)
                else "" if known else ", not determined"
            )  # fmt: skip
            lines.append(f"{name} = {x:.6g}{tail}")
        for c, s, r in zip(self.channels, self.scatter, self.residuals, strict=True):
            told = f"{s if s > NOTHING else 0.0:.3g} estimated"
            if c.is_known:
                own = np.sqrt(np.mean((r / c.weight) ** 2))
                told = f"{own:.3g} of the standard deviations given"
            elif self.freedom < 1:
                told = "not known"
            lines.append(f"{c.label}: {len(r)} data, scatter {told}")
        return "\n".join([*lines, *filter(None, [self.remark])])

    _repr_html_ = as_html


def _misses(channel: Channel, residual: Array) -> bool:
    """Whether less than half of how a column changes along a motion or response is predicted."""
    if channel.name == "mode" or len(residual) < FEW:
        return False
    apart = (channel.measured - channel.measured.mean()) / channel.weight
    off = residual / channel.weight
    return bool(off @ off > HALF * (apart @ apart))


def fit_of(
    unknowns: Unknowns, channels: tuple[Channel, ...], found: Estimate, loss: str, level: float
) -> Fit:
    """What was found as a result."""
    return Fit(
        system=unknowns.system,
        names=unknowns.names,
        x=found.x,
        values=unknowns.values_at(found.x),
        starts=tuple(unknowns.start_at(found.x, k) for k in range(len(unknowns.starts))),
        channels=channels,
        residuals=found.residuals,
        slopes=found.slopes,
        scatter=found.scatter,
        at_bound=found.held,
        level=level,
        loss=loss,
        status=found.status,
        evaluations=found.evaluations,
    )
