"""The verb `fit`: parameters and starts of a system from what was measured of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from routh.analysis.fitting.channels import Deviations, Experiment, checked_deviations, refuse_stray
from routh.analysis.fitting.estimation import SQUARES, checked_loss, estimated
from routh.analysis.fitting.fit_result import Fit, fit_of
from routh.analysis.fitting.measured_tables import Measured, MeasuredTable, checked_tables
from routh.analysis.fitting.mode_data import measured_modes
from routh.analysis.fitting.motion_data import measured_motion
from routh.analysis.fitting.response_data import measured_response
from routh.analysis.fitting.unknowns import Unknowns, checked_unknowns, refuse_bound_parameters
from routh.analysis.given.numbers import Numbers, number
from routh.errors import DeclarationError
from routh.language.gates import checked_numeric
from routh.language.system import System


def fit(
    system: System,
    data: Any,
    unknown: Numbers,
    values: Numbers | None = None,
    *,
    start: Any = None,
    guess: Numbers | None = None,
    inputs: Numbers | None = None,
    bounds: Mapping[Any, Any] | None = None,
    deviations: Any = None,
    loss: str = SQUARES,
    level: float = 0.95,
    rtol: float | None = None,
) -> Fit:
    """Parameters and starts of a system by least squares, from measurements, with exact derivatives.

    The search goes downhill from the first guesses and finds the least sum of squares near them; of an
    oscillation they must be near enough that what is predicted is not off by half a period.

    Arguments:
        system: the system.
        data: a table of columns by name, or a list of tables. One with a column `t` is a motion: its
            other columns are called by coordinates, velocities (`theta'`) or are expressions of them
            as keys; the first time is that of the start. NaN is what was not measured. One with a
            column `mode` (numbers of modes, from 0) has `frequency` (rad/s), `damping` (ratios) and
            shapes, a column for each coordinate, each shape up to a factor. One with `frequency`
            alone, and with 'input': 'F', has complex answers of expressions to an input of unit
            amplitude. A column that is called by a parameter has its known value in this table, of
            modes in each row.
        unknown: what is looked for with a first guess: parameters, and coordinates and velocities at
            the start; where there are several motions these are looked for in each of them.
        values: the other parameters.
        start: what is known of the start of motions, zero if not given; a list of starts for several.
        guess: the rest that modes and answers are about, as in `equilibrium`.
        inputs: what drives motions, as in `simulate`, or acts at rest.
        bounds: ranges of unknowns, like {k: (0, 100)}. Parameters that were declared positive are.
        deviations: standard deviations of the errors of columns, a number or one for each row; weights
            are their inverse squares; of an answer that of both its parts. Where there are none, errors
            of a column are taken to be of one size (of frequencies: one share of each; of shapes: one
            share of the largest entry, in all coordinates alike), which is estimated by its residuals.
            A list of mappings for several tables.
        loss: "squares", or "huber" for data some of which are far off.
        level: of the confidence intervals.
        rtol: relative tolerance of motions, as in `simulate`.

    Returns:
        The fit: `estimates`, `covariance`, `intervals`, `undetermined`, `residuals`. Where data do not
        determine an unknown the fit says which combination it is, and raises nothing.

    Raises:
        DeclarationError: what is given does not fit together.
        DerivationError: there are no derivatives by an unknown.
        SolveError: the first guesses lead to no motion or rest.

    Example:
        >>> import numpy as np
        >>> import routh as rt
        >>> x, k = rt.coordinate("x"), rt.parameter("k")
        >>> spring = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=k * x**2 / 2)
        >>> times = np.linspace(0, 5, 21)
        >>> data = {"t": times, "x": np.cos(2 * times) + 0.01 * np.sin(40 * times)}
        >>> found = rt.fit(spring, data, {"k": 3.5}, start={"x": 1.0})
        >>> round(found["k"], 2)
        4.0
    """
    checked_numeric(system, "fit")
    tables = checked_tables(system, data)
    motions = [each for each in tables if each.kind is Measured.MOTION]
    unknowns = checked_unknowns(system, unknown, values, start, bounds, len(motions))
    chosen, share = checked_loss(loss), _checked_level(level)
    scatter = checked_deviations(deviations, len(tables))
    refuse_stray(scatter, [{str(key) for key in each.columns} for each in tables])
    _refuse_idle(len(motions), len(tables), guess, rtol)
    if motions:
        refuse_bound_parameters(unknowns)
    experiments = _experiments(unknowns, tables, scatter, guess, inputs, rtol)
    channels = tuple(c for each in experiments for c in each.channels)
    found = estimated(unknowns, experiments, chosen, channels)
    return fit_of(unknowns, channels, found, chosen, share)


def _experiments(
    unknowns: Unknowns,
    tables: tuple[MeasuredTable, ...],
    scatter: list[Deviations],
    guess: Numbers | None,
    inputs: Numbers | None,
    rtol: float | None,
) -> list[Experiment]:
    """The model of each table."""
    count = sum(each.kind is Measured.MOTION for each in tables)
    found: list[Experiment] = []
    motion = 0
    for table, own in zip(tables, scatter, strict=True):
        if table.kind is Measured.MOTION:
            found.append(measured_motion(unknowns, table, motion, count > 1, own, inputs, rtol))
            motion += 1
            continue
        rested = measured_modes if table.kind is Measured.MODES else measured_response
        found.append(rested(unknowns, table, own, guess, inputs))
    return found


def _refuse_idle(motions: int, tables: int, guess: object, rtol: object) -> None:
    """Refuse what no table of the data needs."""
    if guess is not None and motions == tables:
        raise DeclarationError(
            "`guess` is the rest that modes and answers are about, and the data are motions alone."
            " Leave it out; `start` is where they begin."
        )
    if rtol is not None and not motions:
        raise DeclarationError(
            "`rtol` is that of motions, and no table of the data has a column `t`. Leave it out."
        )


def _checked_level(level: object) -> float:
    share = number(level, "`level`")
    if share.shape or not 0 < share < 1:
        raise DeclarationError(f"`level` is a probability between 0 and 1, like 0.95. Got {level!r}.")
    return float(share)
