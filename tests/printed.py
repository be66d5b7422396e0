"""Reading a chapter back: what it prints is parsed, evaluated, and compared with another derivation.

The other derivation makes SymPy's functions of time of coordinates and inputs and lets SymPy differentiate
them; it knows neither M and h nor the short forms. Numbers are put in at a point of a motion: positions
and velocities meet the constraints, accelerations and multipliers solve the equations.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from functools import cached_property

import numpy as np
import sympy

import routh as rt
from routh.files.text import TextError, parse
from routh.language.walk import leaves, lets, unfold
from routh.lecture.lagrangian.letters import Letters

TOLERANCE = 1e-9
TAU = sympy.Symbol("tau")


class Oracle:
    """Everything that a chapter on a system prints, as numbers of another route."""

    def __init__(self, system: rt.System, seed: int = 3) -> None:
        self.system = system
        self.q, self.v = system.coordinates, system.velocities
        self.a = [v.rate for v in self.v]
        self.T, self.V, self.D = (
            unfold(sympy.Add(*terms))
            for terms in ((*system.kinetic, *system.lagrangian), system.potential, system.dissipation)
        )
        self.L = self.T - self.V
        self.phi = [unfold(phi) for phi in system.constraints]
        pairs = zip(system.constraints, system.multipliers, strict=True)
        self.pushes = {rt.reaction(phi): -own for phi, own in pairs if leaves([phi]) & set(self.q)}
        self.Q = [
            sum(
                (f.xreplace(self.pushes) * partial(unfold(r), q) for each in system.forces
                 for f, r in zip(map(unfold, each.components), each.at, strict=True)),
                sympy.S.Zero,
            )
            for q in self.q
        ]  # fmt: skip
        self._generator = random.Random(seed)
        self.point: dict[sympy.Symbol, float] = {}
        self._settle()

    def total(self, e: sympy.Expr, order: int = 1) -> sympy.Expr:
        """The time derivative, taken by SymPy of functions of time."""
        signals = [*self.q, *self.system.inputs]
        there, back = {rt.t: TAU}, {TAU: rt.t}
        for k, x in enumerate(signals):
            f, symbol = sympy.Function(f"f{k}")(TAU), x
            for j in range(7):
                there[symbol] = f.diff(TAU, j) if j else f
                back[there[symbol]] = symbol
                symbol = symbol.rate
        return sympy.diff(unfold(e).xreplace(there), TAU, order).xreplace(back)

    @cached_property
    def J(self) -> sympy.Matrix:
        rows = [
            [partial(phi, x) for x in (self.q if held else self.v)]
            for phi, held in zip(self.phi, self.system.is_holonomic, strict=True)
        ]
        return sympy.Matrix(len(rows), len(self.q), [e for row in rows for e in row])

    @cached_property
    def residual(self) -> list[sympy.Expr]:
        push = self.J.T * sympy.Matrix(self.system.multipliers) if self.phi else None
        return [
            self.total(partial(self.L, v)) - partial(self.L, q) + partial(self.D, v) - Q
            + (push[k] if push is not None else 0)
            for k, (q, v, Q) in enumerate(zip(self.q, self.v, self.Q, strict=True))
        ]  # fmt: skip

    @cached_property
    def last_rates(self) -> list[sympy.Expr]:
        pairs = zip(self.phi, self.system.is_holonomic, strict=True)
        return [self.total(phi, 2 if held else 1) for phi, held in pairs]

    def number(self, e: sympy.Expr) -> float:
        """An expression at the point."""
        left = [s for s in leaves([sympy.sympify(e)]) if s not in self.point]
        for s in sorted(left, key=str):  # constants are larger than velocities, as that of light
            self.point[s] = self._generator.uniform(0.3, 0.9) + isinstance(s, rt.results.Parameter)
        at = {s: sympy.Float(x, 30) for s, x in self.point.items()}
        return float(unfold(sympy.sympify(e)).xreplace(at).evalf(20))

    def numbers(self, matrix: sympy.MatrixBase) -> np.ndarray:
        return np.array([[self.number(matrix[i, j]) for j in range(matrix.cols)]
                         for i in range(matrix.rows)]).reshape(matrix.shape)  # fmt: skip

    def _settle(self) -> None:
        """Positions on the constraints, then velocities, then accelerations and multipliers."""
        held = [phi for phi, kind in zip(self.phi, self.system.is_holonomic, strict=True) if kind]
        rates = [self.total(phi) if kind else phi
                 for phi, kind in zip(self.phi, self.system.is_holonomic, strict=True)]  # fmt: skip
        for rows, unknowns in ((held, self.q), (rates, self.v)):
            for _ in range(30 if rows else 0):
                self._newton(rows, unknowns)
        rows = [*self.residual, *self.last_rates]
        self._newton(rows, [*self.a, *self.system.multipliers])

    def _newton(self, rows: list[sympy.Expr], unknowns: list[sympy.Symbol]) -> None:
        slopes = sympy.Matrix([[partial(row, x) for x in unknowns] for row in rows])
        off = np.array([self.number(row) for row in rows])
        step = np.linalg.lstsq(self.numbers(slopes), -off, rcond=None)[0]
        for x, change in zip(unknowns, step, strict=True):
            self.number(x)
            self.point[x] += float(change)

    def known(self, names: Iterable[str]) -> dict[str, object]:
        """Numbers and expressions by what the chapter calls them."""
        letters = Letters(self.system, names)

        def name(letter: str, number: object = "") -> str:
            return letters(letter, number).text

        still = dict.fromkeys(self.v, sympy.S.Zero)
        back = {v: -v for v in self.v}
        T = self.T
        T0 = T.xreplace(still)
        kind = "L" if self.system.lagrangian else "T"
        energy = sum((v * partial(self.L, v) for v in self.v), sympy.S.Zero) - self.L
        found: dict[str, object] = {
            name("T"): T, name("V"): self.V, name("L"): self.L, name("D"): self.D,
            name(kind, 2): (T + T.xreplace(back)) / 2 - T0,
            name(kind, 1): (T - T.xreplace(back)) / 2,
            name(kind, 0): T0, name("C"): 2 * T0, name("E"): energy,
            f"d/dt {name('E')}": self.total(energy),
            name("q"): sympy.Matrix(self.q),
        }  # fmt: skip
        self._add_matrices(found, name, T, still)
        for k, (q, v) in enumerate(zip(self.q, self.v, strict=True)):
            found |= {
                f"d{name('L')}/d{v}": partial(self.L, v),
                f"d/dt d{name('L')}/d{v}": self.total(partial(self.L, v)),
                f"d{name('L')}/d{q}": partial(self.L, q),
                f"d{name('D')}/d{v}": partial(self.D, v),
                f"{name('Q')}_{q}": self.Q[k],
            }
            if self.phi:
                push = (self.J.T * sympy.Matrix(self.system.multipliers))[k]
                found[f"({name('J')}^T {name('lambda')})_{q}"] = push
        for k, phi in enumerate(self.phi, 1):
            found |= {name("phi", k) + "'" * j: self.total(phi, j) if j else phi for j in range(3)}
        return found

    def _add_matrices(self, found, name, T, still) -> None:
        q, v = self.q, self.v
        rest = dict.fromkeys(self.a, sympy.S.Zero) | dict.fromkeys(
            self.system.multipliers, sympy.S.Zero
        )
        M = sympy.Matrix([[partial(partial(self.L, x), y) for y in v] for x in v])
        B = [partial(T, x).xreplace(still) for x in v]
        n = len(q)
        found |= {
            name("A"): M, name("M"): M, name("B"): sympy.Matrix(B),
            name("h"): sympy.Matrix([(r + Q).xreplace(rest)
                                     for r, Q in zip(self.residual, self.Q, strict=True)]),
            name("Q"): sympy.Matrix(self.Q), name("J"): self.J,
            name("gamma"): sympy.Matrix([e.xreplace(rest) for e in self.last_rates]),
            name("G"): sympy.Matrix(n, n, lambda i, j: partial(B[i], q[j]) - partial(B[j], q[i])),
            f"d{name('B')}/dt": sympy.Matrix([self.total(b).xreplace(still) for b in B]),
            f"d{name('A')}/dt": M.applyfunc(lambda e: self.total(e).xreplace(still)),
            f"-d{name('T', 0)}/d{name('q')}": sympy.Matrix([-partial(T.xreplace(still), x) for x in q]),
            f"det {name('M')}": M.det() if n < 4 else None,
        }  # fmt: skip


def partial(e: sympy.Expr, x: sympy.Symbol) -> sympy.Expr:
    """SymPy's derivative with everything else held, on dummies."""
    e = unfold(e)
    held = {s: sympy.Dummy(s.name, real=True) for s in leaves([e]) | {x}}
    return e.xreplace(held).diff(held[x]).xreplace({d: s for s, d in held.items()})


STATEMENTS = (
    r"d/dt d\S+/dq_i' - .*", r"\S+ = \S+'\^T .*/2.*", r"\S+ = \S+2 \+ .*", r"\S+ q\S* \+ .* = .*",
    r"\S+'' = -?\S+\^-1 .*", r"delta W = .*", r"[pP]hi = 0", r"J\S* q\S*'' \+ \S+ = 0", r"dA\S*/dt \S+'",
    r"d/dt dT1/dq' - dT1/dq = .*", r"det \S+ != 0", r"\S+ \S+\^-1 \S+\^T lambda = .*", r"[^=]*",
    r"\[M.*\n\[J.*", r"slip\d* = .*", r"F_slip\d* = .*", r"F_static\d* = .*",
)  # fmt: skip
"""General statements, in which letters are not numbers; what has one side only says nothing of itself."""


class Reader:
    """Compares all sides of every formula of a chapter, and keeps those that cannot be read."""

    def __init__(
        self, chapter: rt.results.Chapter, system: rt.System, names=None, drawn=(), contacts=()
    ) -> None:
        self.oracle = Oracle(system)
        self.compared = 0
        self.unread: list[str] = []
        own = [*system.coordinates, *system.parameters, *system.inputs, *system.multipliers]
        every = [e for part in system.parts().values() for e in part]
        own += [each for each in lets(every) if each.rate_of is None]
        own += [each.rate_of for each in lets(every) if each.rate_of is not None]
        self.names = {s.name: s for s in own} | dict(names or {})
        self.given = {tuple(part) for f in system.forces for part in (f.components, f.at)}
        self.given |= {tuple(r) for r in drawn}
        for letter in ("alpha", "beta"):
            self.names.setdefault(Letters(system, names or ())(letter).text, sympy.Symbol(letter))
        self.known = self.oracle.known(names or ())
        self.known |= self._vectors()
        for k, each in enumerate(contacts, 1):
            if each.normal is not None:
                number = k if len(contacts) > 1 else ""
                self.known[f"N{number}"] = unfold(each.normal).xreplace(self.oracle.pushes)
        for section in chapter:
            for formula in section.formulas:
                self._read(section.title, formula.text)
            self._sums(section)
            if section.title == "Virtual work":
                self._works(section)
            if section.title == "Lagrange's equations":
                self._rows(section)

    def _sums(self, section: rt.results.Section) -> None:
        """Terms that were announced, and the sum below them."""
        steps = list(section.steps)
        for k, step in enumerate(steps):
            if isinstance(step, str) and (found := re.search(r"has (\d+) terms, as written:", step)):
                n = int(found[1])
                terms = [str(each).split(" = ")[0] for each in steps[k + 1 : k + 1 + n]]
                assert steps[k + 1 + n] == "Together they are"
                total = str(steps[k + 2 + n]).split(" = ")[0]
                found_sum = sum(self._value(term) for term in terms)
                assert abs(found_sum - self._value(total)) < TOLERANCE, terms
                self.compared += 1

    def _rows(self, section: rt.results.Section) -> None:
        """The row of every coordinate, also where accelerations are none of a motion."""
        steps = list(section.steps)
        rows = [str(steps[k + 1]) for k, step in enumerate(steps) if step == "so that"]
        there = dict(self.oracle.point)
        self.oracle.point |= {a: there[a] + 0.3 for a in self.oracle.a}
        for row, residual in zip(rows, self.oracle.residual, strict=True):
            left = self._parsed(row.removesuffix(" = 0"))
            assert abs(self.oracle.number(left - residual)) < TOLERANCE, row
            self.compared += 1
        self.oracle.point = there

    def _works(self, section: rt.results.Section) -> None:
        """What all forces do for each coordinate, added up from what is said of each."""
        total = {q.name: 0.0 for q in self.oracle.q}
        for text in map(str, section.formulas):
            if (straight := re.fullmatch(r"delta W = (.*) delta (\S+)", text)) and straight[2] in total:
                total[straight[2]] += self._value(straight[1])
            elif part := re.fullmatch(r"d\w+/d(\w+)(?: \.)? \w+ = .*", text):
                total[part[1]] += self._value(text.split(" = ")[-1])
        for q, Q in zip(self.oracle.q, self.oracle.Q, strict=True):
            assert abs(total[q.name] - self.oracle.number(Q)) < TOLERANCE, q
        self.compared += len(total)

    def _vectors(self) -> dict[str, sympy.MatrixBase]:
        """Vectors of the components that `let` names, and their rates."""
        own = [s for s in self.names.values() if isinstance(s, rt.results.Let) and s.vector]
        vectors = {s.vector[0]: sympy.Matrix(s.vector[1]).applyfunc(unfold) for s in own}
        rates = {n + "'": r.applyfunc(self.oracle.total) for n, r in vectors.items()}
        return vectors | rates

    def _read(self, title: str, text: str) -> None:
        is_matrix = "\n" in text or re.fullmatch(r"-?\S+ = \[[^=]*\]", text)
        if is_matrix and (self._entries(text) or self._matrix(text) or self._system(text)):
            return
        sides, before = text.split(" = "), self.compared
        if sides[-1] == "const":
            kept = self._parsed(sides[-2])
            assert abs(self.oracle.number(self.oracle.total(kept))) < TOLERANCE, text
            self.compared += 1
            sides.pop()
        values = [value for value in map(self._value, sides) if value is not None]
        self._remember(sides)
        if len(values) > 1:
            for value in values[1:]:
                np.testing.assert_allclose(
                    value, values[0], rtol=TOLERANCE, atol=TOLERANCE, err_msg=text
                )
            self.compared += len(values) - 1
        elif self.compared == before and not any(
            re.fullmatch(statement, text) for statement in STATEMENTS
        ):
            self.unread.append(f"{title}: {text}")

    def _remember(self, sides: list[str]) -> None:
        """A point or a force that the chapter names, for what follows."""
        if len(sides) > 1 and re.fullmatch(r"\w+", sides[0]) and sides[0] not in self.known:
            found = self._parsed(sides[1])
            if found is not None:
                self.known[sides[0]] = found
                self.compared += tuple(sympy.Matrix([found])) in self.given
                if isinstance(found, sympy.MatrixBase):
                    self.known[sides[0] + "'"] = found.applyfunc(self.oracle.total)

    def _parsed(self, text: str) -> object:
        try:
            return parse(text, self.names)
        except TextError:
            return None

    def _value(self, text: str) -> object:
        if text in self.known and self.known[text] is not None:
            found = self.known[text]
        elif " . " in text and text.startswith("["):
            left, right = map(self._parsed, text.split(" . "))
            found = rt.dot(left, right)
        elif pair := re.fullmatch(r"d(\w+)/d(\w+)(?: \.)? (\w+)", text):
            found = self._work(*pair.groups())
        else:
            found = self._parsed(text)
            if found is None:
                found = self._of_letters(text)
        if found is None:
            return None
        return (
            self.oracle.numbers(found)
            if isinstance(found, sympy.MatrixBase)
            else self.oracle.number(found)
        )

    def _of_letters(self, text: str) -> object:
        """T - V, L - lambda1 phi1: letters with signs and products of two between them."""
        if not re.fullmatch(r"[\w' +\-^]+", text):
            return None
        total = sympy.S.Zero
        for sign, term in re.findall(r"(^|[+-] )([^+-]+)", text):
            factors = [self._letter(word) for word in term.split()]
            if None in factors:
                return None
            total += (-1 if sign.startswith("-") else 1) * sympy.Mul(*factors)
        return total

    def _letter(self, word: str) -> object:
        word, _, power = word.partition("^")
        if word.isdigit():
            return sympy.Integer(word)
        found = self.known.get(word) if word in self.known else self.names.get(word)
        if found is None or isinstance(found, sympy.MatrixBase):
            return None
        return sympy.sympify(found) ** int(power or 1)

    def _work(self, point: str, q: str, force: str) -> object:
        r, F = (self.known.get(each, self.names.get(each)) for each in (point, force))
        if r is None or F is None:
            return None
        r, F = (sympy.Matrix([e]) for e in (r, F))
        return sum((partial(x, self.names[q]) * f for x, f in zip(r, F, strict=True)), sympy.S.Zero)

    def _entries(self, text: str) -> bool:
        """A matrix entry by entry, with names below for what they have in common; the rest are zero."""
        lines, _, below = text.partition("\nwhere\n")
        rows = [
            re.fullmatch(r"(\S+)\[(\d+),(\d+)\] = (.*)", line.strip()) for line in lines.splitlines()
        ]
        if not all(rows) or not isinstance(self.known.get(rows[0][1]), sympy.MatrixBase):
            return False
        pairs = [line.strip().split(" = ") for line in below.splitlines()]
        named = {name: sympy.Symbol(name) for name, _ in pairs}
        meant = {named[name]: parse(value, self.names | named) for name, value in pairs}
        found = sympy.zeros(*self.known[rows[0][1]].shape)
        for row in rows:
            value = parse(row[4], self.names | named)
            while value.free_symbols & set(meant):
                value = value.xreplace(meant)
            found[int(row[2]) - 1, int(row[3]) - 1] = value
        np.testing.assert_allclose(
            self.oracle.numbers(found), self.oracle.numbers(sympy.Matrix(self.known[rows[0][1]])),
            rtol=TOLERANCE, atol=TOLERANCE, err_msg=text,
        )  # fmt: skip
        self.compared += len(found)
        return True

    def _matrix(self, text: str) -> bool:
        head, _, body = text.partition(" = ")
        expected = self.known.get(head)
        if not isinstance(expected, sympy.MatrixBase):
            return False
        rows = [self._parsed(line.strip()) for line in body.splitlines()]
        found = sympy.Matrix([list(row) for row in rows])
        if found.shape != expected.shape:
            found = found.T
        np.testing.assert_allclose(
            self.oracle.numbers(found), self.oracle.numbers(sympy.Matrix(expected)),
            rtol=TOLERANCE, atol=TOLERANCE, err_msg=text,
        )  # fmt: skip
        self.compared += len(found)
        return True

    def _system(self, text: str) -> bool:
        """A linear system, row by row: the unknowns of the motion solve it."""
        rows = [re.fullmatch(r"(\[.*?\])\s+(\[[^\]]*\])\s+=?\s*(\[.*\])", line.strip())
                for line in text.splitlines()]  # fmt: skip
        parsed = [row and [self._parsed(part) for part in row.groups()] for row in rows]
        if not all(row and None not in row for row in parsed):
            return False
        unknowns = sympy.Matrix([row[1][0] for row in parsed])
        for row in parsed:
            left = rt.dot(row[0], unknowns)
            assert abs(self.oracle.number(left - row[2][0])) < TOLERANCE, text
        self.compared += len(parsed)
        return True
