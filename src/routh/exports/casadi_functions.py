"""The verb `casadi_function`: equations of motion as a function of CasADi, for optimal control."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from routh.analysis.given.numbers import Numbers
from routh.errors import DeclarationError, did_you_mean, listed
from routh.exports.subject import Subject, subject
from routh.files.model import Model
from routh.language.system import System

FORMS = ("explicit", "index 1", "index 3", "stabilized", "canonical")
"""How equations of motion are handed out."""

_HOLDING = ("index 3", "stabilized")
"""Forms that say something of constraints alone."""


def casadi_function(
    system: System | Model,
    *,
    form: str = "explicit",
    derivatives: bool = False,
    values: Numbers | None = None,
    inputs: Mapping[Any, Any] | None = None,
    name: str | None = None,
) -> Any:
    """The equations of motion as a `casadi.Function`, with named arguments and results.

    Arguments are the time `t`, the state `x` = (q, v), the inputs `u` and the parameters `p`, in the
    order of `system.parameters`. `u` has those of `system.signals` that the equations, the energies or
    the constraints contain: `F` for a force, but `x_b''` and what the energy contains for a base that
    moves. With M a + P multipliers = f and J a + gamma = 0, where P is J^T unless forces depend on
    those of constraints, the forms are

        explicit     (t, x, u, p) -> `rate` = x', and with constraints `multipliers`, `phi`, `phi_rate`
        index 1      (t, x, z, u, p), z = (a, multipliers) -> `rate` = (v, a), and the `residual`
                     (M a + P multipliers - f, J a + gamma), which is zero; `phi`, `phi_rate`
        stabilized   the same with Baumgarte's J a + gamma + 2 alpha phi' + beta^2 phi and one more
                     argument, `gains` = (alpha, beta)
        index 3      (t, x, rate, z, u, p), z the multipliers -> the `residual`
                     (q' - v, M v' + P multipliers - f, phi)
        canonical    (t, x, u, p), x = (q, L_v) -> `rate` = x' by Hamilton's equations, `multipliers`

    `phi` are the holonomic constraints and `phi_rate` the rates of all: both are zero along motions. A
    motion that starts so stays so, but for the errors of whoever integrates.

    Arguments:
        system: a system of coordinates, or a model that `load` gave.
        form: one of them.
        derivatives: whether `jac_Y_X` are results too, for each result Y and each argument X.
        values: numbers of parameters, by symbol or name: needed where fields are discretized, as points
            of quadrature depend on them.
        inputs: what is put in for inputs: numbers, expressions in t, feedback laws.
        name: how the function is called; made of the system's name if not given.

    Raises:
        DeclarationError: the form is unknown, or the system has no constraints or no one set of
            equations.

    Example:
        >>> import routh as rt
        >>> x, F = rt.coordinate("x"), rt.input("F")
        >>> m, k = rt.parameters("m k")
        >>> spring = rt.System(kinetic=m*rt.ddt(x)**2 / 2, potential=k*x**2 / 2, forces={x: F})
        >>> function = rt.casadi_function(spring)
        >>> function
        Function(system:(t,x[2],u,p[2])->(rate[2]) SXFunction)
        >>> spring.parameters
        (k, m)
        >>> function(0, [1, 0], 0.5, [4, 2])
        DM([0, -1.75])
    """
    if form not in FORMS:
        raise DeclarationError(
            f"`form` must be one of {listed(FORMS)}. Got {form!r}." + did_you_mean(form, FORMS)
        )
    return formed(subject(system, values, inputs, "casadi_function"), form, derivatives, name)


def formed(given: Subject, form: str, derivatives: bool, name: str | None) -> Any:
    """One of the forms of what is exported."""
    system = given.system
    if form in _HOLDING and not system.constraints:
        raise DeclarationError(
            f'form="{form}" is for systems with constraints, and {system.title} has none. Take'
            ' "explicit", or "index 1", which leaves the accelerations to be solved for.'
        )
    return given.functions.function(form, _function_name(name, system), derivatives)


def _function_name(name: str | None, system: System) -> str:
    """A name that CasADi takes: a letter, then letters, digits and single underscores."""
    if name is None:
        plain = re.sub(r"[^A-Za-z0-9]+", "_", system.name).strip("_")
        return plain if plain[:1].isalpha() and plain != "null" else f"system_{plain}".rstrip("_")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z](_?[A-Za-z0-9])*", name):
        raise DeclarationError(
            "`name` must be a word of letters, digits and single underscores that starts with a"
            f" letter. Got {name!r}."
        )
    return name
