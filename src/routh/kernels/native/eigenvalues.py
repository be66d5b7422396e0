"""Eigenvalues of stacks of small problems `M s^2 + C s + K`, a thread a point.

Points that take a closer look are told, and left to `numerics/spectra/pencil`, which is right for all.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from routh.arrays import Array, Complex, Mask
from routh.kernels.engine import Engine
from routh.kernels.native.choice import chosen
from routh.kernels.native.program import Program
from routh.kernels.native.written import entry, runtime

MOST = 16
"""Coordinates up to which a thread has room for a problem of its own."""

LINES = 600
"""Instructions that a compiler reads for them, whatever their number of coordinates."""

STEPS = 5.0
"""Instructions of CasADi that take as long as a library for eigenvalues does, times (2n)^3."""

HEADERS = ("lanes", "dense", "symmetric", "eigen", "spectrum", "dense_by_side", "side_by_side")

_BODY = """
double m[HALF * HALF], c[HALF * HALF], k[HALF * HALF], real[SIDE], imag[SIDE];
LOAD(m, M, HALF * HALF); LOAD(c, C, HALF * HALF); LOAD(k, K, HALF * HALF);
plain[id] = spectrum(HALF, m, c, k, real, imag);
for (int i = 0; i < SIDE; i++) {
    values[AT(2 * i, 2 * SIDE)] = real[i];
    values[AT(2 * i + 1, 2 * SIDE)] = imag[i];
}
"""

_LANES = """
lanes a[SIDE * SIDE], m[HALF * HALF], c[HALF * HALF], k[HALF * HALF], L[HALF * HALF];
double real[LANES][SIDE], imag[LANES][SIDE];
marks sure, loud = {0};
const long long first = id;
for (int l = 0; l < LANES; l++) {
    const long long id = first + (l < some ? l : 0);
    for (int i = 0; i < HALF * HALF; i++) {
        const long long at = AT(i, HALF * HALF);
        m[i][l] = M[at], c[i][l] = C[at], k[i][l] = K[at];
    }
}
for (int i = 0; i < HALF; i++)
    for (int j = 0; j < HALF; j++) loud |= c[i * HALF + j] != 0 | k[i * HALF + j] != k[j * HALF + i];
sure = cholesky_of(HALF, m, L, SURE_PIVOT * SURE_PIVOT) & loud;
for (int i = 0; i < HALF; i++)
    for (int j = 0; j < SIDE; j++) a[i * SIDE + j] = ALL_LANES(j == HALF + i ? 1.0 : 0.0);
reduced_of(HALF, L, k, a + HALF * SIDE, SIDE);
reduced_of(HALF, L, c, a + HALF * SIDE + HALF, SIDE);
lanes all = ALL_LANES(0.0);
for (int i = HALF * SIDE; i < SIDE * SIDE; i++) all += lanes_fabs(a[i]);
sure &= all < LARGEST;
for (int i = HALF * SIDE; i < SIDE * SIDE; i++) a[i] = lanes_pick(sure, -a[i], ALL_LANES(0.0));
balance_all(a);
hessenberg_of(a, &sure);
eigenvalues_of(a, &sure, real, imag);
for (int l = 0; l < some; l++) {
    const long long id = first + l;
    double own[HALF * HALF];
    for (int i = 0; i < HALF * HALF; i++) own[i] = k[i][l];
    if (!sure[l] || !surely_regular(HALF, own) || !stand_apart(SIDE, real[l], imag[l])) {
        spectra_at(id, count, M, C, K, values, plain);
        continue;
    }
    plain[id] = 1;
    for (int i = 0; i < SIDE; i++) {
        values[AT(2 * i, 2 * SIDE)] = real[l][i];
        values[AT(2 * i + 1, 2 * SIDE)] = imag[l][i];
    }
}
"""


def sized(n: int) -> str:
    """What the headers have to be told of n coordinates."""
    return f"#define HALF {n}\n#define SIDE {2 * n}\n"


def in_c(engine: Engine, count: int, n: int) -> bool:
    """Whether so many points of n coordinates are for compiled code."""
    work = STEPS * (2 * n) ** 3 * count
    return 0 < n <= MOST and chosen(engine, LINES, work / LINES).compiles


def eigenvalues(M: Array, C: Array, K: Array, engine: Engine = Engine.C) -> tuple[Complex, Mask]:
    """(N, 2n) eigenvalues in pairs, in the order of `paired`, and (N,) where they are all right."""
    count, n = M.shape[:2]
    values, plain = np.empty((count, 2 * n), dtype=complex), np.zeros(count, dtype=np.int32)
    kept = [np.ascontiguousarray(X, dtype=float) for X in (M, C, K)]
    _program(n).run("spectra", count, [*kept, values.view(float), plain], engine.target)
    return values, plain != 0


@lru_cache(maxsize=MOST)
def _program(n: int) -> Program:
    arrays = ["const double *M", "const double *C", "const double *K", "double *values", "int *plain"]
    return Program(sized(n) + runtime(*HEADERS) + entry("spectra", arrays, _BODY, _LANES))
