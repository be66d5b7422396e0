"""CVODES of SUNDIALS on the equations of a motion, all of it compiled.

A run goes from t0 through t0 + h grid. Time is counted in h, since CasADi takes times closer than 1e-9
for the same; the longest step is in units of h too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import casadi
import numpy as np

from routh.arrays import Array
from routh.kernels.instructions.effort import effort
from routh.kernels.moving.saddle import Rates

FIRST = 1e-3
"""The first step of CVODES, in units of time of the run; it grows from there."""

LONG = 1000
"""Instructions of x' from which on Adams gets it without slopes."""

KEPT = 64
"""Integrators of one motion that are kept."""

QUIET = {"show_eval_warnings": False, "disable_internal_warnings": True}
ADAMS = {"linear_multistep_method": "adams", "nonlinear_solver_iteration": "functional"}


class CompiledRun:
    """One run that is laid out in memory and has not begun.

    Attributes:
        states: (T, size) what it reaches, NaN before; what was reached when it ends early stays there.
        run: begins it. Raises RuntimeError where it ends early, KeyboardInterrupt included.
    """

    def __init__(self, function: Any, x: Array, p: Array, count: int) -> None:
        self._given = x, p
        self.states: Array = np.full((count, len(x)), np.nan)
        self._buffer, self.run = function.buffer()
        self._buffer.set_arg(function.index_in("x0"), x.data)
        self._buffer.set_arg(function.index_in("p"), p.data)
        self._buffer.set_res(function.index_out("xf"), self.states.data)

    def spent(self) -> tuple[int, int]:
        """The evaluations of x', and the steps, that it has taken."""
        found = self._buffer.stats()
        return int(found["nfevals"]), int(found["nsteps"])


class Integrators:
    """The integrators of one motion; each is compiled once."""

    def __init__(self, rates: Callable[[], Rates], rate: Callable[[], Any], size: int, n: int) -> None:
        self._rates, self._rate = rates, rate
        self._size, self._n = size, n
        self._made: dict[tuple[Any, ...], Any] = {}

    @cached_property
    def effort(self) -> int:
        """Instructions of one evaluation of x'."""
        return effort(self._rate())

    def plain(
        self,
        implicit: bool,
        grid: tuple[float, ...],
        most: int,
        rtol: float,
        atol: float,
        longest: float,
    ) -> Any:
        """A function of x0 and of p = (p, u, k, t0, h), by BDF if it is implicit, or Adams.

        At most so many steps (rounded to a power of two) are taken from one time to the next.
        """
        most = 2 ** max(0, most).bit_length()
        key = (implicit, grid, most, rtol, atol, longest)
        if key not in self._made:
            if len(self._made) >= KEPT:
                self._made.clear()
            options = _options(most, rtol, atol, longest) | ({} if implicit else ADAMS)
            try:
                made = self._cvodes(self._rate_for(implicit), self._wrapped(implicit), grid, options)
            except RuntimeError:  # some graphs CasADi must differentiate after all
                if not self._wrapped(implicit):
                    raise
                made = self._cvodes(self._rate(), False, grid, options)
            self._made[key] = made
        return self._made[key]

    def _cvodes(self, rate: Any, wrapped: bool, grid: tuple[float, ...], options: Any) -> Any:
        z = self._rates().symbols
        kind = casadi.MX if rate.is_a("MXFunction") or wrapped else type(z[1])
        x, t, t0, h = kind.sym("x", self._size), kind.sym("t"), kind.sym("t0"), kind.sym("h")
        p, u, k = (kind.sym(name, y.numel()) for name, y in zip("puk", z[2:], strict=True))
        ode = h * rate(t0 + h * t, x, p, u, k)
        dae = {"x": x, "t": t, "p": casadi.vertcat(p, u, k, t0, h), "ode": ode}
        return casadi.integrator("cvodes", "cvodes", dae, 0, list(grid), options)

    def _wrapped(self, implicit: bool) -> bool:
        """Whether an integrator calls the rate as it is: it would differentiate it in vain."""
        return not implicit and self.effort > LONG

    def _rate_for(self, implicit: bool) -> Any:
        """The rate as an integrator takes it.

        CasADi differentiates what it integrates, which for long graphs takes ten times as long as all
        else. Adams with functional iteration needs no slopes, so that none are offered.
        """
        return self._closed_rate if self._wrapped(implicit) else self._rate()

    @cached_property
    def _closed_rate(self) -> Any:
        none = {"enable_forward": False, "enable_reverse": False, "enable_jacobian": False}
        options = {"never_inline": True, "enable_fd": True, **none}
        rates = self._rates()
        return casadi.Function("rate", rates.symbols, [casadi.densify(rates.x)], options)

    def varied(
        self, grid: tuple[float, ...], most: int, rtol: float, atol: float, longest: float
    ) -> Any:
        """The same of the equations together with their variational ones, by Adams.

        Its state is x and the growths X (2n, 2n + parameters + 1), as one column:
        X' = dx'/dx X + (0, dx'/dp, dx'/dt), the last for a later start.
        """
        key = ("varied", grid, most, rtol, atol, longest)
        if key in self._made:
            return self._made[key]
        rates = self._rates()
        z, rate = rates.symbols, rates.x
        kind, n, count = type(z[1]), 2 * self._n, z[2].numel()
        X = kind.sym("X", n, n + count + 1)
        slope = casadi.jacobian(rate[:n], z[1])[:, :n]
        by = [casadi.jacobian(rate[:n], z[k]) for k in (2, 0)]
        direct = casadi.horzcat(kind.zeros(n, n), *by)
        whole = casadi.Function("whole", [*z, X], [rate, slope @ X + direct])
        t, t0, h = kind.sym("t"), kind.sym("t0"), kind.sym("h")
        p, u, k = (kind.sym(name, x.numel()) for name, x in zip("puk", z[2:], strict=True))
        own, grown = whole(t0 + h * t, z[1], p, u, k, X)
        dae = {"x": casadi.vertcat(z[1], casadi.vec(X)), "t": t,
               "p": casadi.vertcat(p, u, k, t0, h),
               "ode": h * casadi.vertcat(own, casadi.vec(grown))}  # fmt: skip
        options = _options(most, rtol, atol, longest) | ADAMS
        self._made[key] = casadi.integrator("varied", "cvodes", dae, 0, list(grid), options)
        return self._made[key]


def _options(most: int, rtol: float, atol: float, longest: float) -> dict[str, Any]:
    options: dict[str, Any] = {"reltol": rtol, "abstol": atol, "max_num_steps": most, **QUIET}
    options["step0"] = FIRST  # else it would follow from the first output
    if longest < float("inf"):
        options["max_step_size"] = longest
    return options
