"""Least squares with weights that follow from the data: the scatter of channels, and Huber's loss.

Each channel has its own scatter sigma, known or not. One that is not known is estimated by the
residuals r of its channel as sigma^2 = |r|^2 / (N - h), h being the sum of the channel's leverages (the
part of the unknowns that it determined), and the fit is made again with it until neither changes.
Channels of one source, as both parts of an answer, have one scatter.
Huber's loss grows linearly beyond 1.345 sigma, sigma being 1.4826 times the median of |r| there (Huber
and Ronchetti, Robust Statistics, 2009, ch. 7): rows beyond get smaller weights, again until all agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from routh.analysis.fitting.channels import Channel, Experiment
from routh.analysis.fitting.shape_factors import scaled_shapes, spent_on_factors
from routh.analysis.fitting.unknowns import Unknowns
from routh.arrays import Array, Mask
from routh.errors import DeclarationError, RouthError, SolveError, Status
from routh.numerics.solving.least_squares import FIRST, Evaluation, Minimum, least_squares

BEND = 1.345
"""Where Huber's loss goes over into lines: 95 % as sharp as least squares where scatter is normal."""

MEDIAN = 1.4826
"""The standard deviation of normal scatter over the median of its size."""

EXACT = 1e-8
"""Share of what is measured that is errors of integration: no scatter is less."""

ROUNDS = 60
"""How often weights are changed."""

AGREED = 1e-4
"""Share of itself by which a scatter or a weight changes that has settled: less than any scatter is
known to."""

NEAR = 1e-9
"""Damping of searches that begin where the one before has ended."""

SQUARES, HUBER = "squares", "huber"


@dataclass(frozen=True)
class Estimate:
    """Where the search ended.

    Attributes:
        x: (k,) the unknowns.
        residuals: for each channel (N,) measured less predicted.
        slopes: for each channel (N, k) derivatives of what is predicted.
        scatter: for each channel its sigma; 1 where standard deviations were given.
        held: (k,) which unknowns are at a bound.
        status: how the search ended.
        evaluations: how many times the model was computed.
    """

    x: Array
    residuals: tuple[Array, ...]
    slopes: tuple[Array, ...]
    scatter: Array
    held: Mask
    status: Status
    evaluations: int


def estimated(
    unknowns: Unknowns, experiments: Sequence[Experiment], loss: str, channels: Sequence[Channel]
) -> Estimate:
    """The unknowns for which what is predicted is nearest to what was measured.

    Raises:
        SolveError, DerivationError ...: the model has no answer for the first guess.
    """
    model = _Model(unknowns, experiments, channels)
    _refuse_unknown_answers(model.evaluated(unknowns.array("guess")), channels)
    scatter = _spread(channels)
    shares = [np.ones(len(c.measured)) for c in channels]
    x, low, high = (unknowns.array(name) for name in ("guess", "low", "high"))
    found = None
    for turn in range(ROUNDS):
        weights = [
            s / (c.weight * sigma) for c, s, sigma in zip(channels, shares, scatter, strict=True)
        ]
        found = least_squares(
            lambda x, weights=weights: model.weighed(x, weights),  # type: ignore[misc]
            x, low, high, noise=model.noise(weights), damping=NEAR if turn else FIRST,
        )  # fmt: skip
        x = found.x
        residuals, slopes = model.parted(found, weights)
        again = _scatter(channels, residuals, slopes, scatter, found.held, loss)
        bent = [_shares(c, r, s, loss) for c, r, s in zip(channels, residuals, again, strict=True)]
        moved = np.abs(again / scatter - 1).max()
        settled = moved <= AGREED or (len({c.source for c in channels}) == 1 and loss == SQUARES)
        changed = max(float(np.abs(a - b).max()) for a, b in zip(bent, shares, strict=True))
        scatter, shares = again, bent
        if (settled and changed <= AGREED) or found.status is not Status.CONVERGED:
            break
    assert found is not None
    return Estimate(
        x, tuple(residuals), tuple(slopes), scatter, found.held, found.status, model.evaluations
    )


def _refuse_unknown_answers(found: list[tuple[Array, Array]], channels: Sequence[Channel]) -> None:
    """Refuse a first guess for which the model has no finite answer; others are stepped around."""
    for c, (value, slope) in zip(channels, found, strict=True):
        if not (np.isfinite(value).all() and np.isfinite(slope).all()):
            raise SolveError(
                f"For the first guesses in `unknown` what should be read of `{c.label}`, or its slopes,"
                " are not finite. Begin with other guesses, or leave that column out."
            )


class _Model:
    """Experiments as one function of the unknowns."""

    def __init__(
        self, unknowns: Unknowns, experiments: Sequence[Experiment], channels: Sequence[Channel]
    ) -> None:
        self._unknowns, self._experiments, self._channels = unknowns, experiments, channels
        self._known: dict[bytes, list[tuple[Array, Array]]] = {}
        self.evaluations = 0

    def evaluated(self, x: Array) -> list[tuple[Array, Array]]:
        """What is predicted and its slopes, channel by channel; those of the last x are kept."""
        key = x.tobytes()
        if key not in self._known:
            self.evaluations += 1
            found = [each for one in self._experiments for each in one.predicted(x)]
            self._known = {key: found}
        return self._known[key]

    def weighed(self, x: Array, weights: Sequence[Array]) -> Evaluation | None:
        """Weighed residuals and slopes; None where there is no motion or no rest."""
        if not self._unknowns.allows(x):
            return None
        try:
            found = scaled_shapes(self._channels, weights, self.evaluated(x))
        except RouthError:
            return None
        r = [w * (p - c.measured) for w, c, (p, _) in zip(weights, self._channels, found, strict=True)]
        J = [w[:, None] * slope for w, (_, slope) in zip(weights, found, strict=True)]
        whole = np.concatenate(r), np.concatenate(J)
        return whole if np.isfinite(whole[0]).all() and np.isfinite(whole[1]).all() else None

    def noise(self, weights: Sequence[Array]) -> float:
        """The sum of squares that errors of integration amount to."""
        sizes = (w * np.abs(c.measured).max() for w, c in zip(weights, self._channels, strict=True))
        return float(sum((EXACT / 10 * each) @ (EXACT / 10 * each) for each in sizes))

    def parted(self, found: Minimum, weights: Sequence[Array]) -> tuple[list[Array], list[Array]]:
        """Residuals (measured less predicted) and slopes of the channels, without weights."""
        ends = np.cumsum([len(w) for w in weights])[:-1]
        r = [-each / w for each, w in zip(np.split(found.r, ends), weights, strict=True)]
        J = [each / w[:, None] for each, w in zip(np.split(found.J, ends), weights, strict=True)]
        return r, J


def _spread(channels: Sequence[Channel]) -> Array:
    """A first scatter of each channel: how far what was measured spreads, as all of it were scatter."""
    found = np.ones(len(channels))
    for members in _alike(channels):
        unit = np.concatenate([channels[k].measured / channels[k].weight for k in members])
        found[members] = float(np.std(unit)) or float(np.abs(unit).max()) or 1.0
    return found


def _scatter(
    channels: Sequence[Channel],
    residuals: Sequence[Array],
    slopes: Sequence[Array],
    before: Array,
    held: Mask,
    loss: str,
) -> Array:
    """The scatter of every channel by its residuals; 1 where standard deviations were given."""
    weights = [1 / (c.weight * s) for c, s in zip(channels, before, strict=True)]
    J = np.concatenate([w[:, None] * J for w, J in zip(weights, slopes, strict=True)])
    used = np.split(leverages(J[:, ~held]), np.cumsum([len(c.measured) for c in channels])[:-1])
    spent = spent_on_factors(
        channels, weights, [c.measured - r for c, r in zip(channels, residuals, strict=True)]
    )
    found = np.ones(len(channels))
    for members in _alike(channels):
        unit = np.concatenate([residuals[k] / channels[k].weight for k in members])
        free = len(unit) - sum(float(used[k].sum()) + spent[k] for k in members)
        if loss == HUBER:
            own = MEDIAN * float(np.median(np.abs(unit))) * np.sqrt(len(unit) / max(free, 1.0))
        else:
            own = np.sqrt(unit @ unit / free) if free > 0.01 else 0.0
        size = max(float(np.abs(channels[k].measured / channels[k].weight).max()) for k in members)
        found[members] = max(own, EXACT * size, 1e-300)
    return found


def _alike(channels: Sequence[Channel]) -> list[list[int]]:
    """Channels whose scatter is not known, together where it is one."""
    found: dict[tuple[str, str], list[int]] = {}
    for k, each in enumerate(channels):
        if not each.is_known:
            found.setdefault(each.source, []).append(k)
    return list(found.values())


def leverages(J: Array) -> Array:
    """(N,) the diagonal of the projection onto the columns of J, whatever their units."""
    if not J.shape[1]:
        return np.zeros(len(J))
    lengths = np.linalg.norm(J, axis=0)
    unit = J / np.where(lengths > 0, lengths, 1.0)
    U, s, _ = np.linalg.svd(unit, full_matrices=False)
    kept = U[:, s > 1e-9 * s.max(initial=0.0)] if s.size else U[:, :0]
    return np.asarray((kept**2).sum(axis=1))


def _shares(channel: Channel, residual: Array, sigma: float, loss: str) -> Array:
    """(N,) factors of the weights by Huber's loss: 1 within, less beyond."""
    unit = np.abs(residual) / (channel.weight * sigma)
    if loss == SQUARES:
        return np.ones(len(unit))
    return np.sqrt(np.minimum(1.0, BEND / np.maximum(unit, 1e-300)))


def checked_loss(loss: object) -> str:
    """Which loss is asked for."""
    if loss not in (SQUARES, HUBER):
        raise DeclarationError(f'`loss` must be "squares" or "huber". Got {loss!r}.')
    return str(loss)
