"""Systems at the door of a verb: what it can work on, and the sentence where it cannot."""

from __future__ import annotations

from functools import lru_cache

import sympy
from sympy.core.function import AppliedUndef

from routh.errors import DeclarationError, DerivationError, a_kind, quoted
from routh.language.contact.reaction import depends_on_reactions
from routh.language.fields import Field, Space
from routh.language.limits import Limits
from routh.language.make import Make
from routh.language.system import System
from routh.language.walk import leaves, nodes, unfolded_size

WRITTEN = 200_000
"""Nodes of energies with intermediates written out, beyond which equations are not written."""


def checked_system(given: object, verb: str) -> System:
    """What was given, if it is a system."""
    if not isinstance(given, System):
        raise DeclarationError(
            f"{verb} works on a System, as System(kinetic=..., potential=...) makes it. Got"
            f" {a_kind(given)}."
        )
    return given


def _without_friction(system: System, verb: str) -> System:
    """The system, if no contact of it may stick."""
    if system.make is Make.FRICTION:
        slips = ", ".join("1" * len(system.friction))
        raise DeclarationError(
            f"{verb} needs one set of equations, and {system.title} has friction, whose equations"
            f" depend on what sticks. Choose: {verb}(system.phase({slips}), ...) where contacts slip"
            " forwards, -1 for backwards and 0 for sticking; simulate, equilibrium and stick_zone take"
            " the system as it is."
        )
    return system


_REACTING = (
    "equations", "derive", "simulate", "consistent", "equilibrium", "export", "casadi_function",
)  # fmt: skip
"""Verbs that take forces which depend on those of constraints."""


def refuse_reactions(system: System, verb: str) -> None:
    """No force that depends on the force of a constraint, where constraints are taken to do no work."""
    if verb not in _REACTING and depends_on_reactions(system.forces):
        raise DerivationError(
            f"{verb} is for forces that do not depend on those of constraints, and {system.title} has"
            " such forces, by reaction(...): friction with a normal force, as a rule. equations,"
            " simulate, equilibrium and linearize(equilibrium(...)) take it as it is."
        )


def refuse_unknown_functions(system: System, verb: str) -> None:
    """No function without a formula, where numbers are computed."""
    found = _unknown_function(system)
    if found is not None:
        name = found.func.__name__
        raise DeclarationError(
            f"{verb} computes numbers, and {system.title} contains `{found}`, a function without"
            f" a formula. Write one in its place where the system is made, like {name} ="
            f" {name}0*(1 - {found.args[0]}/2); equations, linear_equations and"
            " equilibrium_equations take it as it is."
        )


@lru_cache(maxsize=64)
def _unknown_function(system: System) -> AppliedUndef | None:
    """A function without a formula in a system, if there is one; verbs ask for it at every call."""
    every = nodes([e for part in system.parts().values() for e in part])
    return next((node for node in every if isinstance(node, AppliedUndef)), None)


def checked_numeric(given: object, verb: str) -> System:
    """What was given, if it is a system of coordinates, for which numbers can be computed."""
    system = _without_friction(checked_system(given, verb), verb)
    refuse_unknown_functions(system, verb)
    refuse_reactions(system, verb)
    if system.make is Make.FIELDS:
        sizes = ", ".join(f"{w}: 12" for w in system.fields)
        raise DeclarationError(
            f"{verb} computes with coordinates, and {system.title} has {quoted(system.fields)}, which"
            f" vary along a space. Make coordinates of them first: {verb}(discretize(system,"
            f" {{{sizes}}}), ...)."
        )
    return system


def _refuse_mixed_functions(system: System, verb: str) -> None:
    """No function without a formula of a place and of a field at once: its slopes have no names."""
    for node in nodes([e for part in system.parts().values() for e in part] if system.fields else []):
        if isinstance(node, AppliedUndef) and len(node.args) > 1:
            inside = leaves(node.args)
            if any(isinstance(x, Field) for x in inside) and any(isinstance(x, Space) for x in inside):
                raise DeclarationError(
                    f"{verb} takes functions without a formula of one thing, like EI(s) or V(w). Got"
                    f" `{node}`, of a place and of a field. Write it as a product or a sum of such, or"
                    " with a formula."
                )


_NUMBERS = {
    "hamiltonian": 'simulate(system, values, start, times, form="hamilton") moves it by its momenta,'
    " and linearize gives its linear model",
    "gibbs_appell": "simulate and linearize take velocity constraints as they are",
    "routhian": "equilibrium(system, values, momenta=...) holds momenta, and .at_constant_momenta is"
    " the reduced linear model",
}
"""What gives numbers for discretized bodies, in the place of verbs that are for coordinates alone."""

_FOR_COORDINATES = ("hamiltonian", "gibbs_appell")


def checked_symbolic(given: object, verb: str, *, graphs: bool = False) -> System:
    """What was given, if it is a system whose equations can be written out.

    With `graphs` for a verb that goes through expressions as graphs, where branches that occur many
    times, as in composed rotations, count once.
    """
    system = _without_friction(checked_system(given, verb), verb)
    _refuse_mixed_functions(system, verb)
    refuse_reactions(system, verb)
    if system.shapes and verb in _NUMBERS:
        raise DeclarationError(
            f"{verb} writes equations out, and {system.title} is discretized: its equations are sums"
            f" over many points. Numbers need none: {_NUMBERS[verb]}."
        )
    if system.make is Make.FIELDS and verb in _FOR_COORDINATES:
        sizes = ", ".join(f"{w}: 12" for w in system.fields)
        raise DeclarationError(
            f"{verb} writes out the equations of coordinates, and {system.title} has"
            f" {quoted(system.fields)}, which vary along a space. For numbers take"
            f" discretize(system, {{{sizes}}}): {_NUMBERS[verb]}. Lagrange's equations of fields are"
            " written out by equations(system)."
        )
    if system.shapes:
        raise DeclarationError(
            f"{verb} writes equations out, and {system.title} is discretized: its equations are sums"
            f" over many points. Ask for the system with fields, {verb}(system.continuous); numbers are"
            " given by equilibrium, linearize, modes and simulate."
        )
    every = [e for part in system.parts().values() for e in part]
    size = unfolded_size(every)
    if size <= WRITTEN:
        size = max(size, _as_graph(every) if graphs else _as_tree(every))
    if size > WRITTEN:
        raise DeclarationError(
            f"{verb} writes equations out, and {system.title} has {size:.1e} terms with its"
            " intermediates written out. Numbers do without: equilibrium, linearize, modes, simulate."
        )
    return system


def _as_tree(expressions: list[sympy.Expr]) -> int:
    """How many nodes the slopes of expressions have, written down."""
    limits = Limits(inside=True)
    return sum(limits.measure(e).slope for e in expressions)


def _as_graph(expressions: list[sympy.Expr]) -> int:
    """How many nodes the slopes have together, each branch once: a product has as many as factors."""
    return sum(len(node.args) ** (2 if node.is_Mul else 1) for node in nodes(expressions) if node.args)
