"""Verdicts by both engines on thousands of matrices of every class, most of them near some threshold."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from routh.kernels.native.compiler import compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")


def entries(letter, n):
    """Parameters for the upper triangle of a matrix."""
    return {(i, j): rt.parameter(f"{letter}{i}{j}") for i in range(n) for j in range(i, n)}


def quadratic(letter, z):
    return sum(p * z[i] * z[j] / (1 + (i == j)) for (i, j), p in entries(letter, len(z)).items())


def linear_system(n, kinds):
    """A system whose matrices are parameters: M and K, and those that `kinds` names."""
    q = [rt.coordinate(f"x{k}") for k in range(n)]
    v = [rt.ddt(each) for each in q]
    beside = [(i, j) for i in range(n) for j in range(i + 1, n)]
    parts = {"kinetic": quadratic("M", v), "potential": quadratic("K", q)}
    if "D" in kinds:
        parts["dissipation"] = quadratic("D", v)
    if "G" in kinds:
        parts["kinetic"] += sum(
            rt.parameter(f"G{i}{j}") * (q[i] * v[j] - q[j] * v[i]) for i, j in beside
        )
    if "H" in kinds:
        rows = [0] * n
        for i, j in beside:
            h = rt.parameter(f"H{i}{j}")
            rows[i], rows[j] = rows[i] + h * q[j], rows[j] - h * q[i]
        parts["forces"] = dict(zip(q, rows, strict=True))
    return rt.System(**parts)


def stack(random, count, n, kind):
    """Symmetric matrices of one sort."""
    A = random.normal(size=(count, n, n))
    square, unit = A @ A.swapaxes(1, 2), np.eye(n)
    if kind == "near":  # the least eigenvalue is of any size and sign
        w, U = np.linalg.eigh(square)
        w[:, 0] = w[:, -1] * random.choice([-1, 1], count) * 10 ** random.uniform(-19, -2, count)
        return (U * w[:, None]) @ U.swapaxes(1, 2)
    units = 10.0 ** random.integers(-5, 6, (count, n))
    whole = random.integers(-1, 2, (count, n, n)).astype(float)
    few = np.array([0.0, 1, 1, 2, -1, 1e-8, 1e6])
    return {
        "definite": square + 0.2 * unit,
        "any": A + A.swapaxes(1, 2),
        "double": unit * random.choice([1.0, 2.0, -1.0], (count, 1, 1)),
        "diagonal": unit * random.choice(few, (count, n, 1)),
        "graded": (square + 0.1 * unit) * units[:, :, None] * units[:, None, :],
        "integers": whole @ whole.swapaxes(1, 2),
        "none": 0 * square,
    }[kind]


STIFF = ("definite", "any", "double", "diagonal", "near", "graded", "integers", "none")
MASSES = ("definite", "definite", "diagonal", "graded")
LOSSES = ("definite", "near", "diagonal", "any", "integers", "none", "double")


def numbers(random, system, n, count):
    """Values of the parameters, point by point; couplings are as weak as rounding at half of them."""
    sorts = [random.choice(each, count * len(STIFF) // 4) for each in (MASSES, STIFF, LOSSES)]
    M, K, D = (np.concatenate([stack(random, 4, n, kind) for kind in kinds]) for kinds in sorts)
    given = {"M": M, "K": K, "D": D * _weak(random, len(M))[:, None, None]}
    for letter in "GH":
        given[letter] = random.normal(size=M.shape) * _weak(random, len(M))[:, None, None]
    return {p.name: given[p.name[0]][:, int(p.name[1]), int(p.name[2])] for p in system.parameters}


def _weak(random, count):
    size = 10 ** random.uniform(-17, 1, count) * random.choice([0, 1, 1, 1], count)
    return np.where(random.random(count) < 0.5, 1.0, size)


def agree(n, kinds, count):
    system = linear_system(n, kinds)
    values = numbers(np.random.default_rng([n, *map(ord, kinds)]), system, n, count)
    rest = rt.equilibrium(system, values)
    own, theirs = (
        rt.stability(rt.linearize(rest, engine=engine), engine=engine) for engine in ("c", "casadi")
    )
    for name in ("reason", "index", "falling", "nonlinear"):
        np.testing.assert_array_equal(getattr(own, name), getattr(theirs, name))
    return {reason.name for reason in theirs.reason}


def test_no_verdict_depends_on_the_engine():
    seen = agree(2, "DGH", 24)
    assert {"DIVERGENCE", "FLUTTER", "COMPLETE_DAMPING", "FREE", "DECAY"} <= seen


@pytest.mark.slow
@pytest.mark.parametrize("kinds", ["", "D", "G", "DG", "H", "DH", "DGH"])
@pytest.mark.parametrize("n", [2, 3])
def test_no_verdict_of_any_class_depends_on_the_engine(n, kinds):
    assert len(agree(n, kinds, 120)) > 2
