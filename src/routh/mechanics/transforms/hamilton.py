"""Hamilton's equations, written out for people.

`q' = H_p`, `p' = -H_q + Q - J^T multipliers` with `H = v . p - L`, the Legendre transform of L.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DerivationError, capital, listed, quoted
from routh.language.calculus import expression
from routh.language.derivation import explicit_rate, partial, partials
from routh.language.gates import checked_symbolic
from routh.language.names import by_name
from routh.language.symbols import BySymbol, Coordinate, Input, Momentum, named
from routh.language.system import System
from routh.language.walk import leaves, replaced, unfold
from routh.mechanics.constraints import constraint_jacobian, multiplier_symbols
from routh.mechanics.forms.printing import latex, latex_lines, operations, text
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import vanishes
from routh.mechanics.lagrange import generalized_forces
from routh.mechanics.reference import checked_reference
from routh.mechanics.transforms.convexity import Shape
from routh.mechanics.transforms.legendre import Legendre, legendre
from routh.mechanics.transforms.one_to_many import Branch


@dataclass(frozen=True, eq=False)
class CanonicalEquations:
    """Hamilton's equations of a system and the parts they are made of.

    Attributes:
        system: the system.
        momenta: p, as symbols, in the order of the coordinates.
        definitions: (n, 1) p = L_v, in velocities.
        velocities: (n, 1) v in terms of q, p and t, or None where the transform has no closed form.
        H: the Hamiltonian in terms of q, p and t, or None.
        energy: the same in velocities, v . L_v - L.
        forces: (n, 1) Q - D_v in velocities: what is not in H.
        J: (c, n) the slopes of the constraints, held by `-J^T multipliers`.
        is_energy: whether H is T + V, as for energies without moving frames; else T2 - T0 + V.
        drift: dH/dt at fixed q and p, which is -dL/dt, in velocities.
        is_ambiguous: whether L is known not to be convex: different velocities have the same momenta.
        remark: what is to be said of that, or where it is not known; else nothing.
        branches: for one coordinate and an L that is not convex the parts of H, with where each holds.
    """

    system: System
    momenta: tuple[Momentum, ...]
    definitions: Matrix = field(repr=False)
    velocities: Matrix | None = field(repr=False)
    H: sympy.Expr | None
    energy: sympy.Expr = field(repr=False)
    forces: Matrix = field(repr=False)
    J: Matrix = field(repr=False)
    multipliers: tuple[sympy.Symbol, ...]
    is_energy: bool
    drift: sympy.Expr = field(repr=False)
    is_ambiguous: bool
    remark: str
    branches: tuple[Branch, ...] = field(repr=False)
    _L: sympy.Expr = field(repr=False)
    _simplify: float = field(repr=False)

    @property
    def is_explicit(self) -> bool:
        """Whether H has a closed form in q and p."""
        return self.H is not None

    def canonical(self, given: object) -> sympy.Expr:
        """An expression of coordinates, velocities, momenta and time with velocities replaced by p.

        Raises:
            DerivationError: velocities have no closed form in the momenta.
        """
        what = "What is written in momenta"
        own = named(given, self.momenta) if isinstance(given, str) else None
        found = unfold(expression(by_name(self.system, own or given, what), what))
        if not leaves([found]) & set(self.system.velocities):
            return found
        return replaced(found, self._by_momenta)

    @cached_property
    def _by_momenta(self) -> dict[sympy.Symbol, sympy.Expr]:
        return dict(zip(self.system.velocities, self._explicit()[1], strict=True))

    def _explicit(self) -> tuple[sympy.Expr, Matrix]:
        """H and the velocities in momenta."""
        if self.is_ambiguous:
            raise DerivationError(self.remark)
        if self.H is None or self.velocities is None:
            raise DerivationError(
                f"The Hamiltonian of {self.system.title} has no closed form in q and p that was found:"
                f" {quoted(self.system.velocities[:3])} do not follow from the momenta in symbols."
                " Numbers do: hamiltonian(system)(values, q, p, time) and"
                ' simulate(..., form="hamilton").'
            )
        return self.H, self.velocities

    @cached_property
    def q_rates(self) -> Matrix:
        """(n, 1): q' = H_p, which are the velocities in momenta."""
        return self._explicit()[1]

    @cached_property
    def p_rates(self) -> Matrix:
        """(n, 1): p' = -H_q + Q - J^T multipliers, in q and p."""
        push = self.J.T * Matrix(self.multipliers) if self.multipliers else sympy.zeros(self.n, 1)
        each = zip(self.slopes, self.forces, push, strict=True)
        return Matrix([-slope + self.canonical(Q) - self.canonical(held) for slope, Q, held in each])

    @cached_property
    def constraints(self) -> Matrix:
        """(c, 1): phi, which vanish; velocities in them by momenta, where H has a closed form."""
        tidy = Tidy.within(self._simplify)
        own = [unfold(phi) for phi in self.system.constraints]
        return _column(tidy(self.canonical(phi) if self.is_explicit else phi) for phi in own)

    @cached_property
    def constraint_rates(self) -> Matrix:
        """(c, 1): what momenta keep: phi' = {phi, H} + dphi/dt, or a phi that contains velocities."""
        tidy = Tidy.within(self._simplify)
        pairs = zip(self.constraints, self.system.is_holonomic, strict=True)
        return _column(tidy(self._along(phi)[0]) if first else phi for phi, first in pairs)

    @cached_property
    def multiplier_equations(self) -> tuple[Matrix, Matrix]:
        """(c, c) and (c, 1): W and b of `W multipliers = b`, by which momenta go on keeping them.

        The constraint rates psi change at `{psi, H} + psi_p Q + psi_t - psi_p J^T multipliers`,
        which vanishes: W = psi_p J^T.
        """
        tidy = Tidy.within(self._simplify)
        changes = [self._along(psi) for psi in self.constraint_rates]
        slopes = Matrix([list(by_p) for _, by_p in changes])
        J = Matrix([[self.canonical(entry) for entry in self.J.row(k)] for k in range(self.J.rows)])
        return tidy.matrix(Matrix(slopes * J.T)), _column(tidy(rate) for rate, _ in changes)

    def _along(self, psi: sympy.Expr) -> tuple[sympy.Expr, Matrix]:
        """The rate of a function of q, p and t where no constraint pushes, and its slopes by p."""
        by_p = Matrix(partials(psi, self.momenta))
        by_q = Matrix(partials(psi, self.system.coordinates))
        free = Matrix(
            [self.canonical(Q) - slope for Q, slope in zip(self.forces, self.slopes, strict=True)]
        )
        return (by_q.T * self.q_rates + by_p.T * free)[0] + _explicit_time(psi), by_p

    @cached_property
    def slopes(self) -> Matrix:
        """(n, 1): H_q, which is -L_q with the velocities in momenta: the shorter of both forms."""
        H, _ = self._explicit()
        tidy = Tidy.within(self._simplify)
        pairs = zip(partials(H, self.system.coordinates), self.pull, strict=True)
        forms = ((tidy(slope), -replaced(own, self._by_momenta)) for slope, own in pairs)
        return Matrix([min(each, key=operations) for each in forms])

    @cached_property
    def pull(self) -> Matrix:
        """(n, 1): L_q, in velocities."""
        tidy = Tidy.within(self._simplify)
        return Matrix([tidy(slope) for slope in partials(self._L, self.system.coordinates)])

    @property
    def n(self) -> int:
        """The number of coordinates."""
        return len(self.system.coordinates)

    @property
    def balance(self) -> sympy.Expr:
        """dH/dt along a motion, in velocities: the power of Q and dH/dt at fixed q and p.

        Constraints that do not move do no work; what moving ones do comes on top.
        """
        power = (Matrix(self.system.velocities).T * self.forces)[0]
        return power + self.drift

    def poisson(self, f: object, g: object) -> sympy.Expr:
        """The bracket {f, g} = f_q . g_p - f_p . g_q of expressions in q, p and t.

        Without forces, f' = {f, H} + df/dt. Velocities are replaced by momenta first.
        """
        a, b = self.canonical(f), self.canonical(g)
        pairs = zip(self.system.coordinates, self.momenta, strict=True)
        return Tidy.within(1.0)(
            sympy.Add(*(a.diff(q) * b.diff(p) - a.diff(p) * b.diff(q) for q, p in pairs))
        )

    def matrix(self, about: BySymbol) -> Matrix:
        """(2n, 2n): the linear equations x' = A x of x = (dq, dp) about a rest, in symbols.

        `[[H_pq, H_pp], [-H_qq + Q_q + Q_v H_pq, -H_qp + Q_v H_pp]]` with H_qp[i, j] = d2H/dq_i dp_j,
        at v = 0, from second derivatives of L: `H_pp = M^-1`, `H_pq = -M^-1 F`,
        `H_qq = -L_qq + F^T M^-1 F` with F = L_vq. Where the momenta at rest depend on time, so does A,
        and its eigenvalues decide nothing: `linear_equations` eliminates dp exactly.

        Arguments:
            about: where each coordinate rests; inputs that are not given stay symbols.
        """
        if self.multipliers:
            raise DerivationError(
                "The matrix of Hamilton's equations is for systems without constraints. linearize"
                " works with them."
            )
        q, v = Matrix(self.system.coordinates), Matrix(self.system.velocities)
        rest = checked_reference(self.system, about)
        still = dict.fromkeys(self.system.velocities, sympy.S.Zero)

        def at(matrix: Matrix) -> Matrix:
            return matrix.subs(still).subs(rest, simultaneous=True)

        slopes = Matrix([self._L.diff(x) for x in q])
        M, F = (at(self.definitions.jacobian(x)) for x in (v, q))
        Lqq = at(slopes.jacobian(q))
        Qq, Qv = (at(self.forces.jacobian(x)) for x in (q, v))
        tidy = Tidy.within(1.0)
        Hpp = tidy.matrix(Matrix(M.inv()))
        Hqp = -F.T * Hpp
        Hqq = -Lqq + F.T * Hpp * F
        return tidy.matrix(
            Matrix(
                sympy.BlockMatrix(
                    [[Hqp.T, Hpp], [-Hqq + Qq + Qv * Hqp.T, -Hqp + Qv * Hpp]]
                ).as_explicit()
            )
        )

    def latex(self) -> str:
        """The Hamiltonian and the canonical equations in LaTeX."""
        held = [f"{latex(phi)} &= 0" for phi in self.constraints]
        if self.H is None:
            rows = [f"{latex(p)} &= {latex(own)}" for p, own in self._pairs()]
            rows += [f"{latex(p.rate)} &= {latex(own)}" for p, own in self.in_velocities()]
            return latex_lines([f"H &= {latex(self.energy)}", *rows, *held])
        rows = [f"{latex(q.rate)} &= {latex(own)}" for q, own in self._q_rows()]
        rows += [f"{latex(p.rate)} &= {latex(own)}" for p, own in self._p_rows()]
        return latex_lines([f"H &= {latex(self.H)}", *rows, *held])

    def _pairs(self) -> Iterable[tuple[Momentum, sympy.Expr]]:
        return zip(self.momenta, self.definitions, strict=True)

    def _q_rows(self) -> Iterable[tuple[Coordinate, sympy.Expr]]:
        return zip(self.system.coordinates, self.q_rates, strict=True)

    def _p_rows(self) -> Iterable[tuple[Momentum, sympy.Expr]]:
        return zip(self.momenta, self.p_rates, strict=True)

    def in_velocities(self) -> list[tuple[Momentum, sympy.Expr]]:
        """Each momentum with its rate `L_q + Q - J^T multipliers`, in velocities."""
        push = self.J.T * Matrix(self.multipliers) if self.multipliers else sympy.zeros(self.n, 1)
        each = zip(self.momenta, self.pull, self.forces, push, strict=True)
        return [(p, slope + Q - held) for p, slope, Q, held in each]

    def __str__(self) -> str:
        held = [f"{text(phi)} = 0" for phi in self.constraints]
        if self.H is None:
            lines = [f"H = {text(self.energy)}", *(f"{p} = {text(own)}" for p, own in self._pairs())]
            lines += [f"{p.rate} = {text(own)}" for p, own in self.in_velocities()]
            parts = [f"  {branch.told('L', 'H')}" for branch in self.branches]
            return "\n".join([*lines, *held, *([self.remark] if self.remark else []), *parts])
        lines = [f"H = {text(self.H)}", *(f"{q.rate} = {text(own)}" for q, own in self._q_rows())]
        return "\n".join([*lines, *(f"{p.rate} = {text(own)}" for p, own in self._p_rows()), *held])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


def canonical_equations(system: System, *, simplify: float = 1.0) -> CanonicalEquations:
    """Hamilton's equations of a system, in symbols.

    Raises:
        DerivationError: some velocity does not follow from the momenta: the mass matrix is singular.
    """
    checked_symbolic(system, "hamiltonian")
    tidy = Tidy.within(simplify)
    L = unfold(sympy.Add(*system.lagrangian_terms))
    D = unfold(sympy.Add(*system.dissipation))
    v = system.velocities
    slopes = partials(L, v)
    moving = leaves(slopes) & set(v)
    absent = [x for x in v if x not in moving or all(vanishes(partial(slope, x)) for slope in slopes)]
    if absent:
        raise DerivationError(
            f"{capital(system.title)} has no Hamiltonian: {quoted(absent)} enter L at most linearly, so"
            " the momenta do not determine them. Give every coordinate inertia, or leave it out."
        )
    try:
        own: Legendre = legendre(L, list(v), simplify=simplify)
    except DerivationError:
        raise DerivationError(
            f"{capital(system.title)} has no Hamiltonian: its mass matrix is singular, so the momenta"
            " do not determine the velocities. Choose fewer coordinates."
        ) from None
    still = dict.fromkeys(v, sympy.S.Zero)
    kinetic = unfold(sympy.Add(*system.kinetic, *system.lagrangian))
    quadratic = not leaves(own.hessian) & set(v)
    at_rest = [replaced(slope, still) for slope in partials(kinetic, v)]
    is_energy = (
        quadratic
        and not system.lagrangian
        and all(map(vanishes, at_rest))
        and vanishes(replaced(kinetic, still))
    )
    Q = generalized_forces(system) - Matrix(partials(D, v))
    return CanonicalEquations(
        system=system,
        momenta=own.conjugates,
        definitions=own.slopes,
        velocities=own.inverse,
        H=own.transform,
        energy=own.written,
        forces=tidy.matrix(Matrix(Q)),
        J=tidy.matrix(constraint_jacobian(system)),
        multipliers=multiplier_symbols(system),
        is_energy=is_energy,
        drift=tidy(-_explicit_time(L)),
        is_ambiguous=not own.is_unique and own.bending.shape is Shape.NEITHER,
        remark=_remark(own),
        branches=own.branches,
        _L=L,
        _simplify=float(simplify),
    )


def _column(entries: Iterable[sympy.Expr]) -> Matrix:
    found = list(entries)
    return Matrix(len(found), 1, found)


def _remark(own: Legendre) -> str:
    """Which velocities have given momenta, where that is not one for each."""
    if own.is_unique:
        return ""
    v = listed(own.variables)
    if own.bending.shape is Shape.NEITHER:
        return (
            f"L is not convex in {v}: {own.bending.reason}. Different velocities may have the same"
            " momenta, so that there is not one Hamiltonian; Lagrange's equations do without."
        )
    return (
        f"L could not be shown to be convex in {v}: {own.bending.reason}. Numbers are those of"
        " velocities that Newton's method reaches from rest."
    )


def _explicit_time(L: sympy.Expr) -> sympy.Expr:
    """dL/dt at fixed q and v, or q and p: by time itself and by inputs."""
    inputs = [s for s in leaves([L]) if isinstance(s, Input)]
    return sympy.Add(explicit_rate(L), *(partial(L, u) * u.rate for u in inputs))
