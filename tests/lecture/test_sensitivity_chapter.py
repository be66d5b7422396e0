"""The chapters on derivatives by parameters, read back: what is printed is put together again."""

from __future__ import annotations

import re

import numpy as np
import pytest

import routh as rt
from holding import value
from routh import ddt
from routh.mechanics.forms.chapter import Table

DIGITS = 2e-5
"""Six digits are printed, of which sums of a few leave five."""

x, y, theta = rt.coordinates("x y theta")
m, l, g, k, c, P = rt.parameters("m l g k c P")


def bead():
    T = m * (ddt(x) ** 2 + ddt(y) ** 2) / 2
    V = m * g * y + x**2 - x
    system = rt.System(kinetic=T, potential=V, constraints=[(x**2 + y**2 - l**2) / 2])
    return system, {"m": 2, "l": 1.5, "g": 9.81}, {y: -1.5}


def pushed():
    """Two angles, damping, and a load that stays with the second: vectors on both sides differ."""
    a, b = rt.coordinates("alpha1 beta1")
    T = m * (2 * ddt(a) ** 2 + ddt(b) ** 2 + 2 * rt.cos(a - b) * ddt(a) * ddt(b)) / 2
    V = k * (a**2 + (b - a) ** 2) / 2 + k * a**4 - a
    system = rt.System(
        kinetic=T, potential=V, dissipation=c * ddt(a) ** 2 / 2, forces={a: P * rt.sin(a - b)}
    )
    return system, {"m": 1.2, "k": 3.0, "c": 0.4, "P": 1.5}, {}


CASES = {"bead": bead, "pushed": pushed}


def matrix(found):
    """The numbers of a printed matrix."""
    rows = re.findall(r"\[(.*?)\]", str(found).partition(" = ")[2])
    return np.array([[complex(z.replace(" ", "").replace("i", "j")) for z in row.split(",")]
                     for row in rows])  # fmt: skip


def formulas(section):
    return {str(f).partition(" = ")[0].strip(): f for f in section.formulas}


def linear(system, values, guess, **changed):
    return rt.linearize(rt.equilibrium(system, values | changed, guess=guess)).descriptor


@pytest.mark.parametrize("name", CASES)
def test_the_rest_that_is_printed_moves_as_the_equations_ask(name):
    system, values, guess = CASES[name]()
    chapter = rt.derive(rt.equilibrium(system, values, guess=guess).sensitivity())
    held = formulas(chapter["The rest moves"])
    unknowns = "(q, lambda)" if system.constraints else "q"
    E_x, E_p, moved = (matrix(held[head]) for head in (f"dE/d{unknowns}", "dE/dp", f"d{unknowns}/dp"))
    np.testing.assert_allclose(E_x @ moved, -E_p, atol=DIGITS * np.abs(E_x).max())
    for j, p in enumerate(system.parameters):
        h = 1e-5
        ends = [rt.equilibrium(system, values | {p.name: values[p.name] + s * h}, guess=guess)
                for s in (1, -1)]  # fmt: skip
        off = (ends[0].q - ends[1].q) / (2 * h)
        np.testing.assert_allclose(moved[: len(off), j].real, off, rtol=DIGITS, atol=1e-8)


@pytest.mark.parametrize("name", CASES)
def test_the_equations_that_are_printed_have_the_slopes_that_are_printed(name):
    """In symbols at the rest, they are the columns in numbers."""
    system, values, guess = CASES[name]()
    rest = rt.equilibrium(system, values, guess=guess)
    held = formulas(rt.derive(rest.sensitivity())["The rest moves"])
    known = {**{key: float(x) for key, x in values.items()}}
    known |= dict(zip(map(str, system.coordinates), rest.q.tolist(), strict=True))
    known |= dict(zip(map(str, system.multipliers), rest.multipliers.tolist(), strict=True))
    E_p = matrix(held["dE/dp"])
    for j, p in enumerate(system.parameters):
        rows = re.findall(r"\[\s*(.*?)\]", str(held[f"dE/d{p}"]).partition(" = ")[2])
        assert [value(row, known) for row in rows] == pytest.approx(
            E_p[:, j].real, rel=DIGITS, abs=1e-9
        )
    for k_ in range(len(rest.q)):
        row = str(held[f"E[{k_ + 1}]"]).partition(" = ")[2]
        assert value(row, known) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_third_derivatives_and_moves_make_the_changes_of_the_matrices(name):
    """By the chain rule from what is printed in symbols, and by differences of linear models."""
    system, values, guess = CASES[name]()
    rest = rt.equilibrium(system, values, guess=guess)
    chapter = rt.derive(rt.modes(rt.linearize(rest)).sensitivity())
    held, rows = formulas(chapter["The matrices change"]), formulas(chapter["The rest moves"])
    unknowns = [*system.coordinates, *system.multipliers]
    moved = matrix(rows[f"d{'(q, lambda)' if system.constraints else 'q'}/dp"]).real
    known = {key: float(x) for key, x in values.items()}
    known |= dict(zip(map(str, unknowns), [*rest.q, *rest.multipliers], strict=True))
    n = len(rest.q)

    def symbols(head):
        if head not in held:
            return np.zeros((n, n))
        inside = str(held[head]).partition(" = ")[2]
        cells = [re.split(r",\s+", row.strip()) for row in re.findall(r"\[(.*?)\]", inside)]
        return np.array([[value(cell.strip(), known) for cell in row] for row in cells], dtype=float)

    for j, p in enumerate(system.parameters):
        h = 1e-4 * values[p.name]
        ends = [linear(system, values, guess, **{p.name: values[p.name] + s * h}) for s in (1, -1)]
        for letter, head in (("M", "M"), ("C", "(D + G)"), ("K", "(K + H)")):
            off = (getattr(ends[0], letter) - getattr(ends[1], letter)) / (2 * h)
            printed = matrix(held[f"d{head}/d{p}"]).real if f"d{head}/d{p}" in held else 0 * off
            size = max(np.abs(getattr(ends[0], letter)).max(), 1.0)
            np.testing.assert_allclose(printed, off, atol=DIGITS * size)
            chain = symbols(f"partial d{head}/d{p}")
            chain = chain + sum(
                symbols(f"partial d{head}/d{u}") * moved[i, j] for i, u in enumerate(unknowns)
            )
            np.testing.assert_allclose(chain, printed[:n, :n], atol=DIGITS * size)


@pytest.mark.parametrize("name", CASES)
def test_vectors_that_are_printed_give_the_derivatives(name):
    system, values, guess = CASES[name]()
    modes = rt.modes(rt.linearize(rt.equilibrium(system, values, guess=guess)))
    chapter = rt.derive(modes.sensitivity())
    held = formulas(chapter["The matrices change"])
    size = len(system.coordinates) + len(system.constraints)
    M, C, K = (matrix(held[head]) if head in held else np.zeros((size, size))
               for head in ("M", "D + G", "K + H"))  # fmt: skip
    section, seen = chapter["Eigenvalues"], 0
    for step in section.formulas:
        head, _, right = str(step).partition(" = ")
        if head == "s":
            s = complex(right.replace(" ", "").replace("i", "j"))
        elif head == "chi^T":
            chi = matrix(step)[0]
            assert np.abs((s**2 * M + s * C + K) @ chi).max() < 1e-4 * np.abs(K).max()
        elif head == "psi^T":
            psi = matrix(step)[0]
            assert np.abs(psi.conj() @ (s**2 * M + s * C + K)).max() < 1e-4 * np.abs(K).max()
        elif head.startswith("ds/d"):
            p = head[4:]
            change = sum(
                power * matrix(held[f"d{own}/d{p}"])
                for power, own in ((s**2, "M"), (s, "(D + G)"), (1, "(K + H)"))
                if f"d{own}/d{p}" in held
            )
            wanted = -(psi.conj() @ change @ chi) / (psi.conj() @ (2 * s * M + C) @ chi)
            ratio, found = (complex(z.replace(" ", "").replace("i", "j"))
                            if "/" not in z else z for z in right.split(" = "))  # fmt: skip
            above, below = (complex(z.replace(" ", "").replace("i", "j"))
                            for z in re.findall(r"\(([^()]*)\)", ratio))  # fmt: skip
            assert -above / below == pytest.approx(found, rel=DIGITS, abs=1e-6)
            assert wanted == pytest.approx(found, rel=1e-4, abs=1e-5)
            seen += 1
    assert seen == len(system.parameters) * len(modes.frequencies)
    (table,) = (step for step in section.steps if isinstance(step, Table))
    assert len(table.rows) == len(modes.frequencies)


def test_letters_give_way_and_a_batch_tells_of_its_first():
    M, s, p = rt.parameters("M s p")
    own = rt.System(
        kinetic=M * ddt(theta) ** 2 / 2,
        potential=k * theta**4 / 4 - p * theta,
        dissipation=s * ddt(theta) ** 2 / 2,
    )
    rest = rt.equilibrium(own, {"M": 1, "k": [4.0, 5.0], "s": 0.3, "p": 0.5}, guess={theta: 0.5})
    chapter = rt.derive(rt.modes(rt.linearize(rest)).sensitivity())
    said = str(chapter)
    assert "The letter `s` belongs to the system: an eigenvalue is written `sigma`." in said
    assert "Of the 2 points of the batch this is the first" in said
    held = formulas(chapter["The matrices change"])
    assert str(held["partial d(K + H)/dtheta"]) == "partial d(K + H)/dtheta = [6*k*theta]"
    assert matrix(held["d(K + H)/dk"])[0, 0] == pytest.approx(0.25)  # 3/4 less 6 k theta/24
    assert r"\frac{d \sigma}{d k}" in chapter.latex()


def test_equal_and_overdamped_eigenvalues():
    plate = rt.System(kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=(k * x**2 + 4 * y**2) / 2)
    found = rt.modes(rt.linearize(rt.equilibrium(plate, {"m": 1.0, "k": 4.0}))).sensitivity()
    said = str(rt.derive(found)["Eigenvalues"])
    assert "none of them has a derivative of its own" in said
    assert "ds/dk = -" not in said
    slow = rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=x**2 / 2, dissipation=5 * ddt(x) ** 2 / 2)
    found = rt.modes(rt.linearize(rt.equilibrium(slow, {"m": 1.0}))).sensitivity()
    (table,) = (t for t in rt.derive(found)["Eigenvalues"].steps if isinstance(t, Table))
    root = np.sqrt(21)
    wanted = sorted([(-5 + root) / 2, (-5 - root) / 2])
    assert sorted(float(str(row[1])) for row in table.rows) == pytest.approx(wanted, rel=1e-5)


def test_a_steady_motion_and_many_coordinates_have_no_symbols():
    r, phi = rt.coordinates("r phi")
    ring = rt.System(
        kinetic=m * (ddt(r) ** 2 + r**2 * ddt(phi) ** 2) / 2, potential=k * (r - 1) ** 2 / 2
    )
    rest = rt.equilibrium(ring, {"m": 1.0, "k": 4.0}, guess={r: 1.2}, speeds={phi: 1.0})
    chapter = rt.derive(rest.sensitivity("k"))
    assert "What turns is held where it begins" in str(chapter)
    moved = matrix(formulas(chapter["The rest moves"])["dq/dp"])
    assert moved[0, 0] == pytest.approx(-1 / 9, rel=DIGITS)  # r = k/(k - 1)
    chain = [rt.coordinate(f"q{j}") for j in range(13)]
    long = rt.System(
        kinetic=[m * ddt(q) ** 2 / 2 for q in chain],
        potential=[k * (j + 1) * q**2 / 2 for j, q in enumerate(chain)],
    )
    found = rt.modes(rt.linearize(rt.equilibrium(long, {"m": 1.0, "k": 4.0}))).sensitivity("k")
    chapter = rt.derive(found)
    assert [section.title for section in chapter][-1] == "Eigenvalues"
    assert "The matrices change" not in [section.title for section in chapter]
