"""What is handed out: the functions of a system for other programs, as steps and as CasADi's own.

Arguments are t, the state x = (q, v), the inputs u with those of their derivatives that the equations
contain, and the parameters p. By name there are, as neutral steps,

    matrices    M (n, n), f (n), P (n, c), J (c, n) and gamma (c) of M a + P multipliers = f,
                J a + gamma = 0
    rate        x', of few coordinates without constraints: else it is solved for
    linear      A = dx'/dx and B = dx'/du of the same
    slopes      the slopes of (M a + P multipliers - f, J a + gamma) by x and u, z = (a, multipliers)
                being one more argument; A and B follow by one more solve
    energies    v . L_v - L, and T and V where a system has them, else L
    held        phi of the holonomic constraints, and J v + ... of all
    outputs     expressions that were asked for; z is one more argument
    tangent     the changes of x' of few coordinates, else of (M a + P multipliers - f, J a + gamma),
                and of the energies along a direction d of (t, x, u, p); d and z are arguments, and
                the change of z follows by one more solve
    outputs_tangent     those of the outputs along d of (t, x, u, p) and e of z
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import casadi
import numpy as np
import sympy

from routh.arrays import Array
from routh.kernels.instructions.neutral import neutral
from routh.kernels.motion_engine import Laws
from routh.kernels.moving.outside import Outside
from routh.kernels.neutral_steps import Steps
from routh.language.symbols import Input
from routh.language.system import System


class HandedOut:
    """The functions of a system under laws for some of its inputs.

    Attributes:
        n, c, held: how many coordinates, constraints, and holonomic ones among these there are.
        signals: the inputs and derivatives of inputs that are arguments; the order of `u`.
        direct: whether accelerations are written out, and `rate` and `linear` are among the steps.
        energies: the names of what the function of that name gives.
    """

    def __init__(self, system: System, laws: Laws = (), outputs: Sequence[sympy.Expr] = ()) -> None:
        self.system = system
        self._own = Outside(system, laws, outputs)
        self.n, self.c, self.held = self._own.n, self._own.c, self._own.held
        self.signals: tuple[Input, ...] = self._own.signals
        self.direct, self.energies = self._own.direct, self._own.energies
        self._makers: dict[str, Callable[[], Any]] = {
            "matrices": self._matrices,
            "energies": self._energies,
            "slopes": self._slopes,
            "tangent": self._tangent,
        }
        if self.c:
            self._makers["held"] = self._held
        if self.direct:
            self._makers |= {"rate": self._rate, "linear": self._linear}
        if outputs:
            self._makers |= {"outputs": self._outputs, "outputs_tangent": self._outputs_tangent}
        self._made: dict[str, Any] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The functions that there are."""
        return tuple(self._makers)

    def _function(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def steps(self, name: str) -> Steps:
        """One of the functions as steps.

        Raises:
            DerivationError: it contains what has no word.
        """
        function = self._function(name)
        return neutral(function, name, [function.name_out(k) for k in range(function.n_out())])

    def values(self, name: str, **arguments: Array | float) -> list[Array]:
        """What one of the functions gives at one point, as the engine has it."""
        function = self._function(name)
        found = function.call([arguments[function.name_in(k)] for k in range(function.n_in())])
        return [np.array(each.full(), dtype=float) for each in found]

    def rate(self, **arguments: Array | float) -> tuple[Array, Array]:
        """X' and the multipliers at one point, solved by the engine; NaN where they do not follow."""
        try:
            found = self._solved(*(arguments[name] for name in ("t", "x", "u", "p")))
        except RuntimeError:  # the engine's word for a singular matrix
            return np.full(2 * self.n, np.nan), np.full(self.c, np.nan)
        rate, multipliers = (np.array(each.full(), dtype=float)[:, 0] for each in found)
        return rate, multipliers

    def linear(self, **arguments: Array | float) -> tuple[Array, Array]:
        """A = dx'/dx and B = dx'/du at one point where x' follows, differentiated by the engine."""
        by = self._by_state(*(arguments[name] for name in ("t", "x", "u", "p")))
        A, B = (np.array(each.full(), dtype=float) for each in by)
        return A, B

    @cached_property
    def _solved(self) -> Any:
        return self._own.rate("solved", canonical=False)

    @cached_property
    def _by_state(self) -> Any:
        symbols = self._solved.mx_in()
        rate = self._solved(*symbols)[0]
        slopes = [casadi.densify(casadi.jacobian(rate, symbols[k])) for k in (1, 2)]
        return casadi.Function("by_state", symbols, slopes)

    def _matrices(self) -> Any:
        own = self._own
        right = [casadi.densify(own.f), own.P, own.J, casadi.densify(own.gamma)]
        return own.function("matrices", [own.M, *right], ["M", "f", "P", "J", "gamma"])

    def _rate(self) -> Any:
        own = self._own
        return own.function("rate", [casadi.vertcat(own.v, own.accelerations)], ["rate"])

    def _linear(self) -> Any:
        own = self._own
        rate = casadi.vertcat(own.v, own.accelerations)
        slopes = [casadi.jacobian(rate, own.x), casadi.jacobian(rate, own.u)]
        return own.function("linear", slopes, ["A", "B"])

    def _slopes(self) -> Any:
        own = self._own
        slopes = [casadi.jacobian(own.balance, own.x), casadi.jacobian(own.balance, own.u)]
        return own.function("slopes", slopes, ["by_x", "by_u"], z=own.z)

    def _tangent(self) -> Any:
        own = self._own
        point = casadi.vertcat(own.t, own.x, own.u, own.p)
        d = casadi.SX.sym("d", point.shape[0])
        moved = casadi.vertcat(own.v, own.accelerations) if self.direct else own.balance
        parts = {"moved": moved, "energies": own.energy}
        changes = [casadi.densify(casadi.jtimes(each, point, d)) for each in parts.values()]
        return own.function("tangent", changes, [*parts], z=own.z, d=d)

    def _energies(self) -> Any:
        own = self._own
        return own.function("energies", [casadi.densify(own.energy)], ["energies"])

    def _held(self) -> Any:
        own = self._own
        both = [casadi.densify(own.phi), casadi.densify(own.phi_rate)]
        return own.function("held", both, ["phi", "phi_rate"])

    def _outputs(self) -> Any:
        own = self._own
        return own.function("outputs", [casadi.densify(own.read)], ["outputs"], z=own.z)

    def _outputs_tangent(self) -> Any:
        own = self._own
        point = casadi.vertcat(own.t, own.x, own.u, own.p)
        d, e = casadi.SX.sym("d", point.shape[0]), casadi.SX.sym("e", own.z.shape[0])
        along = casadi.jtimes(own.read, casadi.vertcat(point, own.z), casadi.vertcat(d, e))
        changes = [casadi.densify(along)]
        return own.function("outputs_tangent", changes, ["outputs"], z=own.z, d=d, e=e)

    def function(self, form: str, name: str, derivatives: bool) -> Any:
        """One of the forms of the equations as a CasADi function, with derivatives as more outputs.

        Outputs `jac_Y_X` are the derivatives of Y by X, of all that follow from the equations.
        """
        made = getattr(self, f"_{form.replace(' ', '_')}")(name)
        if not derivatives:
            return made
        given = [made.name_in(k) for k in range(made.n_in())]
        found = [made.name_out(k) for k in range(made.n_out())]
        slopes = [f"jac:{y}:{x}" for y in found for x in given if made.size1_in(x)]
        return made.factory(name, given, [*found, *slopes])

    def _explicit(self, name: str) -> Any:
        return self._with_what_is_held(name, self._own.rate("solved", canonical=False))

    def _canonical(self, name: str) -> Any:
        solved = self._own.rate("solved", canonical=True)
        return casadi.Function(name, *_parts(solved, ["rate", "multipliers"] if self.c else ["rate"]))

    def _with_what_is_held(self, name: str, solved: Any) -> Any:
        """The function to x', the multipliers, and what constraints hold at zero."""
        if not self.c:
            return casadi.Function(name, *_parts(solved, ["rate"]))
        arguments, (rate, multipliers), given, found = _parts(solved, ["rate", "multipliers"])
        phi, phi_rate = self._function("held")(*arguments)
        results = [rate, multipliers, phi, phi_rate]
        return casadi.Function(name, arguments, results, given, [*found, "phi", "phi_rate"])

    def _index_1(self, name: str) -> Any:
        own = self._own
        return self._balanced(name, own.balance)

    def _stabilized(self, name: str) -> Any:
        own = self._own
        gains = casadi.SX.sym("gains", 2)
        pull = 2 * gains[0] * own.phi_rate
        places = [k for k, kind in enumerate(self.system.is_holonomic) if kind]
        if places:
            pull[places] += gains[1] ** 2 * own.phi
        both = own.balance + casadi.vertcat(casadi.SX(self.n, 1), pull)
        return self._balanced(name, both, gains=gains)

    def _balanced(self, name: str, balance: Any, **more: Any) -> Any:
        """The function to x' = (v, a) and to what is zero, of z = (a, multipliers) too."""
        own = self._own
        results = {"rate": casadi.vertcat(own.v, own.a), "residual": balance}
        if self.c:
            results |= {"phi": own.phi, "phi_rate": own.phi_rate}
        results = {key: casadi.densify(each) for key, each in results.items()}
        given = {"t": own.t, "x": own.x, "z": own.z, "u": own.u, "p": own.p} | more
        return casadi.Function(name, [*given.values()], [*results.values()], [*given], [*results])

    def _index_3(self, name: str) -> Any:
        own, n = self._own, self.n
        rate = casadi.SX.sym("rate", 2 * n)
        forces = own.M @ rate[n:] + own.P @ own.multipliers - own.f
        rows = [own.phi_rate] if not self.held else []
        if self.held:
            velocity = [k for k, kind in enumerate(self.system.is_holonomic) if not kind]
            rows = [own.phi, own.phi_rate[velocity]] if velocity else [own.phi]
        residual = casadi.densify(casadi.vertcat(rate[:n] - own.v, forces, *rows))
        given = {"t": own.t, "x": own.x, "rate": rate, "z": own.multipliers, "u": own.u, "p": own.p}
        return casadi.Function(name, [*given.values()], [residual], [*given], ["residual"])


def save(function: Any, path: Path) -> None:
    """Write a CasADi function to a file, which `casadi.Function.load` reads."""
    function.save(str(path))


def _parts(function: Any, results: list[str]) -> tuple[list[Any], list[Any], list[str], list[str]]:
    """New symbols for the arguments of a function, some of its results, and the names of both."""
    scalars = function.is_a("SXFunction")
    symbols = function.sx_in() if scalars else function.mx_in()
    every = dict(zip(function.name_out(), function.call(symbols), strict=True))
    return symbols, [every[key] for key in results], function.name_in(), results
