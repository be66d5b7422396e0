"""Names for what rows share: running integrals, the force along a body, a long shape.

Rows stay short, and what the names stand for is listed below them. The name of a running integral is a
field of its own, so that its rates are those of the integral.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy
from sympy.core.function import AppliedUndef

from routh.language.calculus import ddt
from routh.language.derivation import masked_integrals, running
from routh.language.fields import Field, Space
from routh.language.symbols import Let
from routh.language.system import System
from routh.language.walk import lets, nodes
from routh.mechanics.fields.densities import Energies
from routh.mechanics.fields.ordered_terms import factored, written_whole
from routh.mechanics.fields.term_groups import varies
from routh.mechanics.forms.chapter import Formula
from routh.mechanics.forms.printing import latex, text

LONG = 5
"""Operations of a coefficient beyond which it gets a name."""

Definition = tuple[sympy.Expr, sympy.Expr]
"""A name and what it stands for."""

_RUNNING = ("u", "U", "xi", "zeta", "chi")
_ALONG = {1: ("N", "P", "F", "H"), 2: ("B", "A", "C", "E")}
"""Letters for running integrals, and for what stands before first and second slopes."""


def taken_names(system: System) -> set[str]:
    """All that has a name in a system."""
    own = (*system.coordinates, *system.parameters, *system.inputs, *system.fields, *system.spaces)
    written = [e for part in system.parts().values() for e in part]
    functions = {node.func.__name__ for node in nodes(written) if isinstance(node, AppliedUndef)}
    return {x.name for x in (*own, *lets(written))} | functions | {"t"}


def free_name(taken: Iterable[str], letters: Iterable[str]) -> str:
    """The first letter that is free; else the first of them with a number."""
    used, choice = set(taken), list(letters)
    numbered = (f"{choice[0]}{k}" for k in range(1, len(used) + 2))
    return next(name for name in (*choice, *numbered) if name not in used)


class Names:
    """The names that rows are written with, and what they stand for."""

    def __init__(self, system: System, parts: Energies | None = None) -> None:
        self._taken = taken_names(system)
        self._running = dict(self._named_integrals(parts)) if parts is not None else {}
        self._rates: dict[sympy.Basic, sympy.Basic] = {}
        for each, name in self._running.items():
            for dots in range(4):  # a row has up to two more dots than a density
                self._rates.setdefault(ddt(each, dots), ddt(name, dots))
        self._meant: list[tuple[Let, sympy.Expr]] = []

    def _named_integrals(self, parts: Energies) -> Iterable[tuple[sympy.Integral, Field]]:
        """The running integrals of the densities that are not rates of others."""
        every = [d for part in (parts.L, parts.D, parts.work) for d in part.densities.values()]
        found = [node for node in nodes(every) if isinstance(node, sympy.Integral) and running(node)]
        found = [
            each for each in found if not each.atoms(sympy.Dummy)
        ]  # virtual displacements have no rate
        found = sorted(dict.fromkeys(found), key=lambda each: (sympy.count_ops(each), str(each)))
        rates = {rate for each in found for rate in (ddt(each), ddt(each, 2))}
        for each in found:
            if each not in rates:
                space = running(each)
                assert space is not None
                name = free_name(self._taken, _RUNNING)
                self._taken.add(name)
                yield each, Field(name, space)

    @property
    def has_running(self) -> bool:
        """Whether there are running integrals."""
        return bool(self._running)

    @property
    def running(self) -> tuple[tuple[Field, sympy.Integral], ...]:
        """The running integrals with their names."""
        return tuple((name, each) for each, name in self._running.items())

    def short(self, value: sympy.Expr) -> sympy.Expr:
        """The expression with names for running integrals and their rates."""
        return value.xreplace(self._rates) if self._rates else value

    def along(self, part: sympy.Expr, k: int, space: Space) -> sympy.Expr:
        """What stands under a derivative, with a name for a long factor of a slope."""
        masked, integrals = masked_integrals(part)
        masked = sympy.expand(masked, power_exp=False, power_base=False, log=False)
        jets = [x for x in masked.atoms(Field) if x.space == space and x.end is None and x.slope == k]
        for jet in sorted(jets, key=str):
            alone = [term for term in sympy.Add.make_args(masked) if _is_alone(term, jet, integrals)]
            factor = sympy.Add(*(term / jet for term in alone)).xreplace(integrals)
            if sympy.count_ops(factor) > LONG:
                name = self._name(-factor if k == 1 else factor, k, space)
                masked = masked - sympy.Add(*alone) + (-name if k == 1 else name) * jet
        return masked.xreplace(integrals)

    def _name(self, value: sympy.Expr, k: int, space: Space) -> Let:
        known = [name for name, meant in self._meant if meant == value]
        if known:
            return known[0]
        plain, integrals = masked_integrals(value)
        letter = free_name(self._taken, _ALONG[k])
        self._taken.add(letter)
        made = Let(f"{letter}({space.name})", factored(plain).xreplace(integrals))
        made._latex_name = rf"{letter}({sympy.latex(space)})"
        self._meant.append((made, value))
        return made

    def definitions(self, written: Iterable[sympy.Expr]) -> tuple[Definition, ...]:
        """What the names in expressions stand for, those first that others are written with."""
        letters = [(name, name.expression) for name, _ in self._meant]
        own = [x for e in (*written, *(value for _, value in letters)) for x in e.atoms(Field)]
        bases = {x.base for x in own}
        used = [(name, each) for name, each in self.running if name in bases]
        return (*((name, self.inside(each)) for name, each in used), *letters)

    def inside(self, integral: sympy.Integral) -> sympy.Expr:
        """A running integral with names for those inside it."""
        return integral.func(self.short(integral.function), *integral.limits)


def _is_alone(term: sympy.Expr, jet: Field, integrals: dict[sympy.Basic, sympy.Basic]) -> bool:
    """Whether a term is linear in a slope, and nothing else outside integrals moves along the space."""
    factors = sympy.Mul.make_args(term)
    others = [f for f in factors if f != jet]
    still = (f in integrals or not any(varies(x, jet.space) for x in f.atoms(Field)) for f in others)
    return len(others) == len(factors) - 1 and all(still)


def defined(definition: Definition) -> Formula:
    """A name with what it stands for; running integrals and functions with their place."""
    name, value = definition
    left = _called(name)
    right = written_whole(value)
    return Formula(f"{left.text} = {right.text}", f"{left.latex} = {right.latex}")


def _called(name: sympy.Expr) -> Formula:
    if isinstance(name, Field):
        place = name.space
        return Formula(f"{name}({place})", f"{latex(name)}({latex(place)})")
    return Formula(text(name), latex(name))


def where_lines(where: Iterable[Definition]) -> list[str]:
    """What names stand for, a line each."""
    return [f"where {defined(each)}" for each in where]


def where_latex(where: Iterable[Definition]) -> list[str]:
    """The same in LaTeX, aligned at the equality sign."""
    return [defined(each).latex.replace(" = ", " &= ", 1) for each in where]
