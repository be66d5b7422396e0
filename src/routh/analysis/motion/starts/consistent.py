"""The nearest state that satisfies the constraints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from routh.analysis.given.numbers import Numbers, number
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.signals import signals
from routh.analysis.motion.starts.moved import Positions, blow
from routh.analysis.motion.starts.start import Start, stated
from routh.arrays import Array
from routh.errors import DeclarationError, SolveError, Status, did_you_mean, listed, quoted
from routh.kernels.motion import motion
from routh.language.gates import checked_numeric
from routh.language.symbols import Coordinate
from routh.language.system import System


def consistent(
    system: System,
    values: Numbers,
    start: Numbers | Start,
    *,
    keep: Sequence[Coordinate | str] = (),
    inputs: Numbers | None = None,
    time: float = 0.0,
) -> Start:
    """The nearest positions and velocities that satisfy the constraints.

    Distance is measured by mass: positions minimize (q - q0)^T M (q - q0) with M at the start, then
    velocities (v - v0)^T M (v - v0) with M where these are, as a blow of the constraints would change
    them. What has no mass moves first.

    The velocities are the nearest ones. The position is the nearest of those around it, and nearer than
    all that were found from places spread over the ball that it leaves open: 128 of them for up to six
    coordinates, 800 over their number for more, none beyond 400. Where many positions satisfy the
    constraints a nearer one may escape, in folds that are narrow beside this ball.

    A constraint counts as met by the same rule as for `simulate`: to a millionth of what is added up in
    it, or to rounding. A state that meets all of them to rounding is not moved. Constraints may depend
    on each other.

    Arguments:
        system: the system.
        values: a number or an array for each parameter.
        start: coordinates and velocities, like `{x: 0.9, ddt(y): 1.0}`; zero if not given.
        keep: coordinates and velocities that must stay what they are.
        inputs: as for `simulate`, where constraints contain inputs.
        time: the time of the start.

    Returns:
        A `Start`, which `simulate` takes. In a batch, points without such a state are NaN and have
        the status STALLED.

    Raises:
        SolveError: no state near the start satisfies the constraints; they are named, and what is kept
            if that is why.

    Example:
        >>> from routh import coordinates, ddt, System
        >>> x, y = coordinates("x y")
        >>> ring = System(kinetic=ddt(x) ** 2 + ddt(y) ** 2, constraints=[x**2 + y**2 - 1])
        >>> print(consistent(ring, {}, {x: 3, y: 4, ddt(x): 1}))
        x = 0.6, y = 0.8, x' = 0.64, y' = -0.48. Moved: x by -2.4, y by -3.2, x' by -0.36, y' by -0.48.
    """
    checked_numeric(system, "consistent")
    when = number(time, "`time`")
    if when.shape:
        raise DeclarationError(f"`time` must be one number. Got {time!r}.")
    driven = signals(system, inputs)
    given, q, v = stated(system, values, driven, start)
    system = given.system
    fixed = _kept(system, keep)
    engine = motion(system, driven.laws, False, False)
    new, status = np.full((2, *q.shape), np.nan), np.full(given.count, Status.CONVERGED, dtype=object)
    for k in range(given.count):
        flow = MovingSystem(engine, given.p[k], *driven.at(system, given, k))
        try:
            with np.errstate(all="ignore"):  # numbers that overflow are found not to meet anything
                new[:, k] = _nearest(flow, float(when), q[k], v[k], fixed)
        except SolveError:
            if not given.shape:
                raise
            status[k] = Status.STALLED
    fold = given.folded
    moved = new - np.stack([q, v])
    new_q, new_v, moved_q, moved_v = map(fold, (*new, *moved))
    return Start(system, given, float(when), new_q, new_v, moved_q, moved_v, fold(status))


def _kept(system: System, keep: Sequence[Coordinate | str]) -> tuple[list[int], list[int]]:
    """The places of the coordinates and of the velocities that are kept."""
    if isinstance(keep, (Coordinate, str)):
        keep = [keep]
    if not isinstance(keep, (list, tuple)):
        raise DeclarationError(
            f"`keep` lists coordinates and velocities, like [x, ddt(y)]. Got {keep!r}."
        )
    names = {s.name: s for s in (*system.coordinates, *system.velocities)}
    places: tuple[list[int], list[int]] = ([], [])
    for key in keep:
        symbol = names.get(key) if isinstance(key, str) else key
        if not isinstance(symbol, Coordinate) or symbol not in names.values():
            raise DeclarationError(
                f"`keep` lists coordinates and velocities of {system.title}: {listed(names)}. Got"
                f" {quoted([key])}." + did_you_mean(key, names)
            )
        places[symbol.order].append(system.coordinates.index(symbol.base))
    return places


def _nearest(
    flow: MovingSystem, t: float, q: Array, v: Array, fixed: tuple[list[int], list[int]]
) -> tuple[Array, Array]:
    """The nearest consistent state of one point."""
    engine = flow.motion
    system, n = engine.system, engine.n
    state = np.zeros(engine.size)
    state[: 2 * n] = np.concatenate([q, v])
    free_q, free_v = ([k for k in range(n) if k not in kept] for kept in fixed)
    kept_q = tuple(system.coordinates[k] for k in fixed[0])
    kept_v = tuple(system.velocities[k] for k in fixed[1])
    if any(system.is_holonomic):
        state[:n] = Positions(flow, t, state, free_q, kept_q).nearest()
    if engine.c:
        state[n : 2 * n] = blow(flow, t, state, free_v, kept_v)
    return state[:n], state[n : 2 * n]
