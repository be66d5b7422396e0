"""The chapter on Hamilton's equations: momenta, inversion, H, canonical equations, brackets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import listed
from routh.lecture.kinds import chapter_of
from routh.lecture.transformed.momentum_frame import MomentumFrame
from routh.lecture.transformed.wording import (
    beyond_one,
    column,
    joined,
    matrix,
    minus,
    product,
    rated,
    slope,
    total,
)
from routh.mechanics.forms.chapter import Chapter, Formula, Step, formula
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import vanishes
from routh.mechanics.transforms.hamilton import CanonicalEquations
from routh.mechanics.transforms.quadratic_inverse import InvertedBlock, inverted_blocks


@chapter_of.register
def hamilton_chapter(found: CanonicalEquations) -> Chapter:
    """From the Lagrangian to the canonical equations, and what they keep."""
    told = _Told(found)
    return told.frame.chapter(
        "Hamilton's equations",
        [
            ("Lagrangian", told.lagrangian()),
            ("Momenta", told.momenta()),
            ("Velocities in terms of momenta", told.inversion()),
            ("Hamiltonian", told.hamiltonian()),
            ("Canonical equations", told.canonical()),
            ("Poisson brackets", told.brackets()),
            ("Constraints", told.constraints()),
            ("What is conserved", told.conserved()),
        ],
    )


@dataclass(frozen=True, eq=False)
class _Told:
    """What is said of Hamilton's equations of a system, section by section."""

    found: CanonicalEquations

    @cached_property
    def frame(self) -> MomentumFrame:
        found = self.found
        known = [*(found.velocities or ()), *([found.H] if found.is_explicit else [])]
        return MomentumFrame(found.system, found.system, tuple(known))

    @cached_property
    def blocks(self) -> tuple[InvertedBlock, ...]:
        return inverted_blocks(self.frame.own.M, Tidy(1.0), lowest=True)

    @cached_property
    def degrees(self) -> dict[str, sympy.Expr]:
        """The parts of T by degree in the velocities that are not zero, as sums."""
        eq = self.frame.own
        T2 = self.frame.kinetic if self.frame.is_quadratic else eq.T2
        return {k: e for k, e in (("2", T2), ("1", eq.T1), ("0", eq.T0)) if e != 0}

    def lagrangian(self) -> Iterator[Step]:
        """L, and the degrees of T in the velocities."""
        T, V, L = (self.frame.letter(x) for x in "TVL")
        eq = self.frame.own
        if self.found.system.lagrangian:
            yield "The Lagrangian is given."
            yield formula(L, eq.L)
            return
        if self.frame.is_quadratic and set(self.degrees) != {"2"}:
            yield f"The Lagrangian is {T.text}, sorted by degree in the velocities, less the potential."
            yield formula(T, total(self.frame.letter("T", k) for k in self.degrees))
            yield from (formula(self.frame.letter("T", k), e) for k, e in self.degrees.items())
        else:
            yield "The Lagrangian is the kinetic energy less the potential."
            yield formula(T, *self.degrees.values())
        yield formula(V, eq.V)
        yield formula(L, total([T, minus(V)]))

    def momenta(self) -> Iterator[Step]:
        """P = L_v, one by one and as M v + B."""
        found, L = self.found, self.frame.letter("L")
        yield f"The momentum of a coordinate is the slope of {L.text} along its velocity."
        for q, p, own in zip(found.system.coordinates, found.momenta, found.definitions, strict=True):
            yield formula(p, slope(L, q.rate), own)
        if self.frame.is_quadratic and len(self.blocks) < len(found.momenta):
            v, B = column(found.system.velocities), self.frame.own.B
            M = self.frame.letter("M")
            moved = [*([self.frame.letter("B")] if any(B) else [])]
            yield "They are linear in the velocities, and the mass matrix stands before these."
            yield formula(column(found.momenta), total([product(M, v), *moved]))
            yield matrix(M, self.frame.own.M)
            if any(B):
                yield formula(self.frame.letter("B"), column(B))

    def inversion(self) -> Iterator[Step]:
        """V in terms of p."""
        found = self.found
        if found.velocities is None:
            yield found.remark or (
                "No closed form was found for the velocities in terms of the momenta: Newton's method"
                " finds them in numbers."
            )
            return
        if not self.frame.is_quadratic:
            yield "The momenta are solved for the velocities."
        elif any(len(block.places) > 1 for block in self.blocks):
            yield from self._by_blocks()
        else:
            yield "Each momentum contains its own velocity alone, and is solved for it."
        named = list(self.frame.below.steps)
        if named:
            yield f"With {'a name' if len(named) == 1 else 'names'} for what stands below the lines,"
            yield from named
        yield from self._rows(found.system.velocities, map(self.frame.below, found.velocities))

    def _rows(self, left: Iterable[sympy.Basic], right: Iterable[sympy.Expr]) -> Iterator[Formula]:
        return (formula(a, b) for a, b in zip(left, right, strict=True))

    def _by_blocks(self) -> Iterator[Step]:
        """How each block of the mass matrix is inverted."""
        v, M = self.found.system.velocities, self.frame.letter("M")
        for block in self.blocks:
            if len(block.places) == 1:
                continue
            own = listed(v[k] for k in block.places)
            if block.squares is not None:
                yield f"{own} stand together in their momenta. Combined so that one by one they leave,"
                yield from self._eliminated(block)
                yield "and solved from the last line upwards,"
                continue
            whole = len(block.places) == len(v)
            part = f"{M.text} is" if whole else f"The rows of {M.text} that belong to {own} are"
            yield f"{part} inverted by cofactors over the determinant,"
            of = M if whole else joined(M, "(", Formula(own, own), ")")
            yield formula(Formula(f"det {of.text}", rf"\det {of.latex}"), block.determinant)
            yield "in which what is common to all of them is cancelled."

    def _eliminated(self, block: InvertedBlock) -> Iterator[Formula]:
        """Each combination of momenta of a sum of squares, and what it is in velocities."""
        assert block.squares is not None
        shifted = [p - b for p, b in zip(self.found.momenta, self.frame.own.B, strict=True)]
        tidy = Tidy(1.0)
        spun = self.frame.own.M * Matrix(self.found.system.velocities)
        for row, _ in block.squares:
            left = sympy.Add(*(a * shifted[k] for a, k in zip(row, block.places, strict=True)))
            right = sympy.Add(*(a * spun[k] for a, k in zip(row, block.places, strict=True)))
            yield formula(left, tidy(right))

    def hamiltonian(self) -> Iterator[Step]:
        """H = p . v - L in velocities, then in momenta."""
        found, (H, L, T, V) = self.found, (self.frame.letter(x) for x in "HLTV")
        pairs = zip(found.momenta, found.system.velocities, strict=True)
        yield f"The Hamiltonian is the Legendre transform of {L.text} by the velocities."
        yield formula(H, total([*(product(p, v) for p, v in pairs), minus(L)]))
        if found.is_energy:
            yield f"{T.text} is homogeneous of second degree in the velocities: p . v = 2 {T.text}."
            yield formula(H, total([T, V]), self.degrees["2"] + self.frame.own.V)
        elif self.frame.is_quadratic:
            T2, T1, T0 = (self.frame.letter("T", k) for k in "210")
            linear = f" + {T1.text}" if "1" in self.degrees else ""
            yield (
                f"By Euler's theorem p . v = 2 {T2.text}{linear}:"
                + (" what is linear in the velocities drops out, and" if linear else "")
                + " what is free of them changes its sign."
            )
            parts = [T2, *([minus(T0)] if "0" in self.degrees else []), V]
            in_velocities = self.degrees["2"] - self.degrees.get("0", 0) + self.frame.own.V
            if found.system.lagrangian:
                yield formula(H, in_velocities)
            else:
                yield formula(H, total(parts), in_velocities)
        else:
            yield "In velocities this is"
            yield formula(H, found.energy)
        if found.H is not None:
            yield "With the velocities of the last section"
            yield formula(H, self.frame.below(found.H))
        elif found.branches:
            yield "Each range of velocities in which momenta rise or fall has a Hamiltonian of its own."
            for branch in found.branches:
                if branch.transform is None:
                    yield f"For {branch.holds(L.text)}, it has no closed form that was found."
                else:
                    yield f"For {branch.holds(L.text)},"
                    yield formula(H, branch.transform)
            yield from beyond_one([branch.transform for branch in found.branches])

    def canonical(self) -> Iterator[Step]:
        """The equations for q and p."""
        found, H = self.found, self.frame.letter("H")
        q, p = found.system.coordinates, found.momenta
        if found.H is None:
            yield (
                f"Without a closed form of {H.text} momenta change with the slopes of"
                f" {self.frame.letter('L').text}, in velocities."
            )
            yield from (
                formula(momentum.rate, total([slope(self.frame.letter("L"), x), *self._push(k)]), own)
                for k, (x, (momentum, own)) in enumerate(zip(q, found.in_velocities(), strict=True))
            )
            return
        yield f"Coordinates follow the slopes of {H.text} along the momenta, which are the velocities,"
        for x, momentum, own in zip(q, p, found.q_rates, strict=True):
            yield formula(x.rate, slope(H, momentum), self.frame.below(own))
        more = f", pushed by what is not in {H.text}: {self._pushes}." if self._pushes else "."
        yield f"and momenta fall with the slopes of {H.text} along the coordinates{more}"
        for k, (x, momentum, own) in enumerate(zip(q, p, found.p_rates, strict=True)):
            sides = total([minus(slope(H, x)), *self._push(k)])
            yield formula(momentum.rate, sides, self.frame.below(own))

    def constraints(self) -> Iterator[Step]:
        """Phi = 0, what that asks of momenta, and how the multipliers follow."""
        found, H = self.found, self.frame.letter("H")
        if not found.multipliers:
            return
        yield "Beside the canonical equations the constraints hold."
        yield from (formula(phi, sympy.S.Zero) for phi in found.constraints)
        if found.H is None:
            return
        firm = [k for k, holds in enumerate(found.system.is_holonomic) if holds]
        if firm:
            yield (
                f"What holds positions holds momenta too: the rate {{f, {H.text}}} + df/dt of a"
                " constraint of positions vanishes, and a start must see to that."
            )
            yield from (formula(found.constraint_rates[k], sympy.S.Zero) for k in firm)
        yield (
            "The rates of what the momenta keep vanish as well. The constraints push the momenta, so"
            " that the multipliers stand in these rates, and follow from them."
        )
        W, b = found.multiplier_equations
        multipliers = found.multipliers
        for k in range(len(multipliers)):
            parts = [w * own for w, own in zip(W.row(k), multipliers, strict=True) if w != 0]
            yield formula(sympy.Add(*parts), b[k])

    @property
    def _pushes(self) -> str:
        """What acts on momenta outside of H, in words."""
        system = self.found.system
        kinds = {
            "forces": system.forces,
            "damping": system.dissipation,
            "constraints": system.constraints,
        }
        return " and ".join(word for word, own in kinds.items() if own)

    def _push(self, k: int) -> Iterator[Formula]:
        """What acts on a momentum outside of H, in velocities."""
        found = self.found
        if found.forces[k] != 0:
            yield Formula(*_bracketed(found.forces[k]))
        if found.multipliers:
            held = (found.J.T * Matrix(found.multipliers))[k]
            if held != 0:
                yield minus(Formula(*_bracketed(held)))

    def brackets(self) -> Iterator[Step]:
        """Brackets with H, and what they say."""
        found, H = self.found, self.frame.letter("H")
        if found.H is None:
            return
        yield "The bracket of two functions of coordinates and momenta is"
        yield Formula(
            "{f, g} = sum over i of df/dq_i*dg/dp_i - df/dp_i*dg/dq_i",
            r"\{f, g\} = \sum_i \frac{\partial f}{\partial q_i} \frac{\partial g}{\partial p_i}"
            r" - \frac{\partial f}{\partial p_i} \frac{\partial g}{\partial q_i}",
        )
        pushed = bool(self._pushes)
        more = f"; {self._pushes} change it besides, by way of the momenta" if pushed else ""
        yield (
            f"Along a motion f changes at the rate {{f, {H.text}}} + df/dt, df/dt being taken at fixed"
            f" coordinates and momenta{more}."
        )
        for x, p, own in zip(found.system.coordinates, found.momenta, found.slopes, strict=True):
            yield formula(_bracket(x, H), slope(H, p), x.rate)
            value = [sympy.S.Zero] if vanishes(own) else [] if pushed else [p.rate]
            yield formula(_bracket(p, H), minus(slope(H, x)), *value)
        quiet = [p for p, own in zip(found.momenta, found.slopes, strict=True) if vanishes(own)]
        if quiet:
            verb = "commutes" if len(quiet) == 1 else "commute"
            yield f"{listed(quiet)} {verb} with {H.text}."

    def conserved(self) -> Iterator[Step]:
        """What keeps its value, and how H compares with T + V."""
        found, eq, (H, T, V) = self.found, self.frame.own, (self.frame.letter(x) for x in "HTV")
        reasons = {each.name: each.reason for each in eq.conserved}
        for q, p in zip(found.system.coordinates, found.momenta, strict=True):
            if reason := reasons.pop(f"momentum of {q}", ""):
                yield f"{p} keeps its value: {reason}, and nothing pushes it."
        idle = not reasons and not found.multipliers and vanishes(found.balance)
        if idle:
            yield f"{H.text} keeps its value: time does not enter it, and the forces do no work."
        elif reasons:
            why = "constraints that stand still do no work" if found.multipliers else "no force acts"
            yield f"{H.text} keeps its value: time does not enter it, and {why}."
        else:
            yield from self._balance()
        if found.is_energy:
            yield f"It is the energy, {H.text} = {T.text} + {V.text}."
        elif self.frame.is_quadratic and not found.system.lagrangian:
            yield (
                f"It is Jacobi's integral, not the energy {T.text} + {V.text}, which changes whenever"
                " the difference of the two does."
                if reasons or idle
                else f"It is not the energy {T.text} + {V.text} either. The two differ by"
            )
            parts = [self.frame.letter("T", "1")] if "1" in self.degrees else []
            parts += [product("2", self.frame.letter("T", "0"))] if "0" in self.degrees else []
            yield formula(total([T, V, minus(H)]), total(parts), eq.T1 + 2 * eq.T0)

    def _balance(self) -> Iterator[Step]:
        """How fast H changes where it does."""
        found, H = self.found, self.frame.letter("H")
        timed, pushed = not vanishes(found.drift), any(found.forces)
        causes = ["time enters it"] * timed + ["forces and damping have power"] * pushed
        if causes:
            yield f"{H.text} changes, since {' and '.join(causes)}."
        if timed or pushed:
            yield formula(rated(H), Tidy(1.0)(found.balance))
        if found.multipliers:
            yield f"Constraints that move change {H.text} by the power of their forces."


def _bracket(f: sympy.Symbol, H: Formula) -> Formula:
    return Formula(f"{{{f}, {H.text}}}", rf"\{{{formula(f).latex}, {H.latex}\}}")


def _bracketed(e: sympy.Expr) -> tuple[str, str]:
    own = formula(e)
    if e.is_Add:
        return f"({own.text})", rf"\left({own.latex}\right)"
    return own.text, own.latex
