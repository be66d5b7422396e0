"""The system: energies, dissipation, forces and constraints, checked when it is made.

Nothing is multiplied out here: that a constraint is linear in the velocities is seen from the degrees
of what is written, or because its derivatives contain none; evaluation only refutes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from routh.errors import DeclarationError, a_kind, capital, listed, quoted
from routh.language.arguments import (
    Terms,
    coordinates_of,
    declared_of,
    fields_of,
    given_parts,
    held_of,
    of_kind,
    refuse_energies,
    some_of,
)
from routh.language.calculus import ddt
from routh.language.checks import (
    HIGHEST_ORDER,
    checked_symbols,
    refuse_empty_constraints,
    refuse_like_names,
    refuse_orders,
    refuse_stray_fields,
    refuse_unmoved,
    velocities,
)
from routh.language.contact.friction import Friction, frictions_of
from routh.language.contact.reaction import refuse_nonlinear_reactions, refuse_other_reactions
from routh.language.contact.slipping import refuse_width, slipping, symbols_of_contacts
from routh.language.dynamicsymbols import Translation, translate
from routh.language.fields import Field, Space
from routh.language.forces import Force
from routh.language.make import MANY, Make
from routh.language.matter.closing import worked_out
from routh.language.multiplier_names import numbered_multipliers
from routh.language.requirements import Requirement, requirements_of
from routh.language.sending import remade, to_send
from routh.language.shapes import Rule, Shape
from routh.language.symbols import BySymbol, Coordinate, Input, Parameter
from routh.language.walk import leaves
from routh.shown import as_markdown

Energy = Any
"""An expression, a number, or a list of them."""
Forces = BySymbol | Iterable[Force | tuple[Force, ...]]
Signs = Sequence[Any] | None


@dataclass(frozen=True, eq=False)
class Discretization:
    """What `discretize` adds to a system with fields.

    Attributes:
        continuous: the system with fields.
        shapes: how each field is made of coordinates.
        rules: at which points the densities over each space are evaluated.
        sizes: what was asked for, by field.
    """

    continuous: System
    shapes: tuple[Shape, ...]
    rules: Mapping[Space, Rule]
    sizes: Mapping[Field, Any]
    _repr_markdown_ = as_markdown


class System:
    """A mechanical system, declared by what it stores, loses and is driven by.

    Arguments:
        kinetic: kinetic energy T(q, v, t), one expression or a list of terms.
        potential: potential energy V(q, t), likewise.
        lagrangian: L(q, v, t) instead of `kinetic` and `potential`.
        dissipation: Rayleigh function D(q, v, t); its force is -dD/dv.
        forces: a mapping {coordinate: generalized force}, coordinates by symbol or name, or a list of
            `force(...)` and `torque(...)`.
        constraints: expressions held at zero: phi(q, t), or phi(q, v, t) linear in the velocities,
            told apart by whether they contain velocities. With fields also conditions at ends, like
            `at(w, s, 0)` for a supported beam. One that is 0 itself is left out; `idle_constraints`
            says which, and the others are counted without it.
        friction: contacts that stick or slip, as `friction(slip, static=...)` makes them.
        coordinates: the order of the rows in every result, by symbol or name; as declared if not given.
        name: shown in reports and messages.
        declared: parameters and inputs that belong to the system though no part contains them.
        requirements: what values and motions must keep, as parts of `models` bring it along.
        discretization: how fields are made of coordinates; `discretize` writes it.

    Energies of bodies contain `integral(density, s)`. Over rigid ones it is worked out here, and
    `as_written` keeps what was given. Elastic ones have fields: such a system has equations by
    `equations` and `linear_equations`; `discretize` makes a system of coordinates of it.

    A list of terms is never summed into one expression. A system is frozen and hashable; two are
    equal if they are made of the same symbols in the same way.

    Raises:
        DeclarationError: for anything that cannot be a system, with what to do about it.

    Example:
        >>> from routh import coordinate, parameters, ddt, System
        >>> x, (m, k) = coordinate("x"), parameters("m k")
        >>> System(kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2 / 2, name="oscillator")
        System(oscillator: 1 coordinate x; parameters k, m)
    """

    kinetic: Terms
    potential: Terms
    lagrangian: Terms
    dissipation: Terms
    forces: tuple[Force, ...]
    constraints: Terms
    friction: tuple[Friction, ...]
    name: str
    coordinates: tuple[Coordinate, ...]
    parameters: tuple[Parameter, ...]
    inputs: tuple[Input, ...]
    fields: tuple[Field, ...]
    """The fields, in the order of declaration."""
    spaces: tuple[Space, ...]
    """The spaces they live on."""
    idle_constraints: tuple[int, ...]
    """Places, from 0, of constraints that were given as 0 and left out; the others are counted on."""
    as_written: Mapping[str, tuple[Any, ...]]
    """Energies, forces and constraints as they were given, with integrals over rigid bodies."""
    declared: tuple[sympy.Symbol, ...]
    """Parameters and inputs that belong to it though no part contains them."""
    requirements: tuple[Requirement, ...]
    """What must be positive, or not negative: of values, along motions and at rest."""
    discretization: Discretization | None
    """How the fields are made of coordinates, after `discretize`."""

    def __init__(
        self,
        *,
        kinetic: Energy | None = None,
        potential: Energy | None = None,
        lagrangian: Energy | None = None,
        dissipation: Energy | None = None,
        forces: Forces | None = None,
        constraints: Iterable[sympy.Expr] = (),
        friction: Friction | Sequence[Friction] | None = None,
        coordinates: Sequence[Coordinate | str] | None = None,
        name: str = "",
        declared: Iterable[Parameter | Input | Field] = (),
        requirements: Iterable[Requirement] = (),
        discretization: Discretization | None = None,
    ) -> None:
        refuse_energies(kinetic, potential, lagrangian)
        held, idle = held_of(constraints)
        if discretization is not None:
            if not isinstance(discretization, Discretization):
                raise DeclarationError(
                    "`discretization` is written by discretize(system, sizes)."
                    f" Got {a_kind(discretization)}."
                )
            idle = discretization.continuous.idle_constraints
        energies = {"kinetic": kinetic, "potential": potential, "lagrangian": lagrangian,
                    "dissipation": dissipation}  # fmt: skip
        written = given_parts(energies, forces, held)
        belongs = declared_of(declared)
        self.__dict__.update(
            worked_out(written, belongs),
            as_written=written,
            idle_constraints=idle,
            friction=() if friction is None else frictions_of(friction),
            name=str(name),
            declared=belongs,
            discretization=discretization,
        )
        symbols = checked_symbols(self.parts())
        found: set[sympy.Symbol] = set(self.declared).union(*symbols.values())
        fields = fields_of(found)
        amplitudes = {q for shape in self.shapes for q in shape.coordinates}
        self.__dict__.update(
            fields=fields,
            spaces=tuple(dict.fromkeys(w.space for w in fields)),
            coordinates=coordinates_of(found.union(amplitudes), coordinates),
            parameters=of_kind(found, Parameter),
            inputs=tuple({s.base: None for s in of_kind(found, Input)}),
            requirements=requirements_of(requirements, found),
        )
        for part, highest in HIGHEST_ORDER.items():
            refuse_orders(symbols[part], part, highest)
        for part, expressions in self.parts().items():
            refuse_stray_fields(expressions, part)
            refuse_other_reactions(expressions, self.constraints, part)
        refuse_nonlinear_reactions([e for each in self.forces for e in each.components], "A force")
        refuse_like_names(self.fields)
        refuse_unmoved([q for q in self.coordinates if q not in amplitudes], symbols)
        refuse_empty_constraints(self.constraints, [*self.coordinates, *self.fields])
        if self.friction and self.fields:
            raise DeclarationError(
                "`friction` is for systems of coordinates. Discretize the fields, and declare friction"
                " with a system of their coordinates."
            )

    @classmethod
    def from_dynamicsymbols(
        cls,
        lagrangian: sympy.Expr,
        coordinates: Sequence[sympy.Expr],
        *,
        dissipation: sympy.Expr | None = None,
        forces: Mapping[sympy.Expr, Any] | None = None,
        constraints: Sequence[sympy.Expr] = (),
        name: str = "",
    ) -> System:
        """The same system as one written with `sympy.physics.mechanics.dynamicsymbols`.

        `coordinates` lists the functions of time that are coordinates; other functions of time
        become inputs, other symbols parameters. Keys of `forces` are coordinates.
        """
        new: Translation = translate(
            [lagrangian, dissipation, *constraints, *(forces or {}).values()], coordinates
        )
        unknown = [q for q in (forces or {}) if q not in new.coordinates]
        if unknown:
            raise DeclarationError(
                f"`forces` has {quoted(unknown)}, which is no coordinate."
                f" Coordinates: {listed(coordinates)}."
            )
        return cls(
            lagrangian=new(lagrangian),
            dissipation=None if dissipation is None else new(dissipation),
            forces={new.coordinates[q]: new(Q) for q, Q in (forces or {}).items()},
            constraints=[new(phi) for phi in constraints],
            coordinates=[new.coordinates[q] for q in coordinates],
            name=name,
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A System is frozen: `{name}` cannot be set. Make a new System.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A System is frozen: `{name}` cannot be deleted.")

    def __reduce__(self) -> tuple[Any, ...]:
        return remade, (System, *to_send(self.__dict__, self.as_written, self.parts()))

    @cached_property
    def _content(self) -> tuple[Any, ...]:
        return (
            self.kinetic, self.potential, self.lagrangian, self.dissipation, self.forces,
            self.constraints, self.friction, self.coordinates, self.parameters, self.inputs,
            self.name, self.shapes, tuple(self.rules.values()), self.requirements,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, System) and self._content == other._content)

    @cached_property
    def _hash(self) -> int:
        return hash(self._content)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        n = len(self.coordinates)
        parts = [f"{n} coordinate{'s' * (n > 1)} {some_of(self.coordinates)}"] if n else []
        if self.fields:
            made = ", discretized" if self.shapes else ""
            parts.append(f"fields {', '.join(f'{w} over {w.space}' for w in self.fields)}{made}")
        if self.parameters:
            parts.append(f"parameters {listed(self.parameters)}")
        if self.inputs:
            parts.append(f"inputs {listed(self.inputs)}")
        if self.constraints:
            parts.append(f"constraints: {len(self.constraints)}")
        if self.idle_constraints:
            given = listed(k + 1 for k in self.idle_constraints)
            parts.append(f"left out, being always 0: constraint {given} of those given")
        if self.friction:
            parts.append(f"contacts with friction: {len(self.friction)}")
        return f"System({self.name + ': ' if self.name else ''}{'; '.join(parts)})"

    @cached_property
    def make(self) -> Make:
        """What it is made of, by which verbs choose their way."""
        if self.friction:
            return Make.FRICTION
        if not self.fields:
            return Make.COORDINATES
        if not self.shapes:
            return Make.FIELDS
        return Make.SPARSE if len(self.coordinates) > MANY else Make.DISCRETIZED

    @property
    def continuous(self) -> System | None:
        """The system with fields that this one was made of by `discretize`."""
        return self.discretization.continuous if self.discretization else None

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """How each field is made of coordinates, after `discretize`."""
        return self.discretization.shapes if self.discretization else ()

    @property
    def rules(self) -> Mapping[Space, Rule]:
        """At which points the densities over each space are evaluated, after `discretize`."""
        return self.discretization.rules if self.discretization else {}

    @property
    def sizes(self) -> Mapping[Field, Any]:
        """What `discretize` was asked for, by field."""
        return self.discretization.sizes if self.discretization else {}

    @property
    def velocities(self) -> tuple[Coordinate, ...]:
        """The velocities, in the order of the coordinates."""
        return tuple(q.rate for q in self.coordinates)

    @cached_property
    def is_holonomic(self) -> tuple[bool, ...]:
        """For each constraint whether it holds positions, phi(q, t) = 0, and no velocities."""
        return tuple(not velocities(phi) for phi in self.constraints)

    @cached_property
    def lagrangian_terms(self) -> Terms:
        """The terms of L = T - V, not summed."""
        return (*self.kinetic, *(-V for V in self.potential), *self.lagrangian)

    @cached_property
    def signals(self) -> tuple[Input, ...]:
        """The inputs, each with its derivatives up to the highest that the equations can contain.

        One above that of energies, since momenta are differentiated, and two above that of constraints.
        """
        if not self.inputs:
            return ()
        highest = dict.fromkeys(self.inputs, 0)
        for part, expressions in (self.continuous or self).parts().items():
            more = 2 if part == "constraints" else 1
            for s in leaves(expressions):
                if isinstance(s, Input):
                    highest[s.base] = max(highest[s.base], s.order + more)
        for s in (s for s in self.declared if isinstance(s, Input)):
            highest[s.base] = max(highest[s.base], s.order)
        return tuple(ddt(u, k) for u in self.inputs for k in range(highest[u] + 1))

    @property
    def multipliers(self) -> tuple[sympy.Symbol, ...]:
        """A symbol for the multiplier of each constraint, in events and in what is read of motions."""
        return numbered_multipliers(self)

    def changed(self, **parts: Any) -> System:
        """The system with other energies, forces, constraints or contacts, as System takes them.

        Example:
            >>> import routh as rt
            >>> theta = rt.coordinate("theta")
            >>> pendulum = rt.System(kinetic=rt.ddt(theta)**2 / 2, potential=-4 * rt.cos(theta))
            >>> len(pendulum.changed(forces={theta: 1}).forces)
            1
        """
        energies = ("kinetic", "potential", "lagrangian", "dissipation", "forces", "friction")
        if self.discretization is not None and not {"name", "discretization"}.issuperset(parts):
            raise DeclarationError(
                f"{capital(self.title)} is discretized: its shapes belong to its energies. Change"
                " system.continuous, and discretize that."
            )
        given: dict[str, Any] = {
            name: list(self.as_written.get(name, self.friction)) for name in energies
        }
        given["constraints"] = self._constraints_as_given()
        kept = ("coordinates", "name", "declared", "requirements", "discretization")
        given |= {name: getattr(self, name) for name in kept} | parts
        return System(**{name: part for name, part in given.items() if part})

    def _constraints_as_given(self) -> list[sympy.Expr]:
        """Those that were left out stand among them again, so that all are counted as before."""
        every = list(self.as_written["constraints"])
        for k in () if self.discretization else self.idle_constraints:
            every.insert(k, sympy.S.Zero)
        return every

    def phase(self, *states: int, sides: Signs = None, headings: Signs = None) -> System:
        """The system while each contact with friction slips forwards (1), backwards (-1) or sticks (0).

        Slip is a force against it, and sticking a velocity constraint, whose multiplier is the force
        that holds, as long as it is within the static force. `sides` (1 or -1) are the signs of
        reactions whose size presses; `headings` those of slips in a plane, by `Friction.force`.
        """
        return self._rubbing(*slipping(self.friction, states, sides, headings, self.title))

    def regularized(self, width: float) -> System:
        """The system with friction that is smooth over a width of slip velocity, and never sticks."""
        refuse_width(width)
        forces = [force for contact in self.friction for force in contact.regularized(width)]
        return self._rubbing(forces, [])

    def _rubbing(self, forces: list[Force], held: list[sympy.Expr]) -> System:
        """The system with these forces and constraints; it keeps all parameters and inputs."""
        return self.changed(
            forces=[*self.forces, *forces],
            constraints=[*self._constraints_as_given(), *held],
            friction=None,
            declared=symbols_of_contacts(self.friction, self.parameters, self.inputs),
        )

    def discretized(
        self, made: Discretization, coordinates: Sequence[Coordinate], constraints: Terms
    ) -> System:
        """The same energies over coordinates: the fields have shapes, which keep some constraints."""
        return self.changed(
            coordinates=coordinates,
            constraints=constraints,
            declared=(*self.parameters, *self.inputs, *self.fields),
            discretization=made,
        )

    @property
    def title(self) -> str:
        """How messages call this system."""
        return f"`{self.name}`" if self.name else "the system"

    def parts(self) -> dict[str, list[sympy.Expr]]:
        """The expressions of each argument, by the argument's name."""
        parts: dict[str, list[sympy.Expr]] = {
            part: list(getattr(self, part))
            for part in HIGHEST_ORDER
            if part not in ("forces", "friction")
        }
        parts["friction"] = [e for contact in self.friction for e in contact.expressions]
        parts["forces"] = [e for f in self.forces for e in (*f.components, *f.at)]
        return parts

    _repr_markdown_ = as_markdown
