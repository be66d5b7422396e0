"""States that satisfy the constraints: the nearest one, by one rule with `simulate`, and which rows
depend on each other.
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import routh as rt
from routh import cos, ddt, dot, norm2, sin, vector
from routh.analysis.motion.flow import MovingSystem
from routh.kernels.motion import motion
from routh.numerics.solving.dependence import dependence, surely_independent


def again(system, values, start):
    """A start that stays what it is when it is asked for again, and that `simulate` takes."""
    once = rt.consistent(system, values, start)
    twice = rt.consistent(system, values, once)
    size = np.abs(np.concatenate([once.q, once.v])).max()
    assert np.abs(np.concatenate([twice.moved_q, twice.moved_v])).max() <= 1e-14 * size
    run = rt.simulate(system, values, once, [0, 1e-3], progress=False)
    assert run.completed
    return once


# --- the nearest position


def test_a_start_beside_a_crest_goes_to_the_nearest_side():
    """sin w = 0.999 from w = 4.6: pi - asin(0.999) is 2.98 away, and Newton's first step is 17 long."""
    w = rt.coordinate("w")
    system = rt.System(kinetic=ddt(w) ** 2 / 2, constraints=[sin(w) - 0.999])
    assert rt.consistent(system, {}, {w: 4.6}).q[0] == pytest.approx(
        np.pi - np.arcsin(0.999), rel=1e-12
    )


def random_surface(seed):
    """Waves, polynomials or linkages in one to three coordinates, with a random mass matrix."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 4))
    c = int(draw.integers(1, n + 1))
    q = [rt.coordinate(f"q{k}") for k in range(n)]
    L = draw.normal(size=(n, n))
    M = L @ L.T + 0.3 * np.eye(n)
    v = sympy.Matrix([x.rate for x in q])
    rows = [_row(draw, q, int(seed) % 3) for _ in range(c)]
    system = rt.System(kinetic=(v.T * sympy.Matrix(M) * v)[0] / 2, constraints=rows)
    return system, q, rows, M, draw.uniform(-3, 3, n)


def _row(draw, q, kind):
    line = sum(float(a) * x for a, x in zip(draw.normal(size=len(q)), q, strict=True))
    if kind == 0:
        return sin(float(draw.uniform(0.5, 2)) * line + float(draw.uniform(0, 6))) - float(
            draw.uniform(-0.9, 0.9)
        )
    if kind == 1:
        square = sum(float(draw.normal()) * x * y for x in q for y in q) / 2
        return float(draw.normal()) * q[0] ** 3 / 3 + square + line + float(draw.normal())
    arms = [float(draw.uniform(0.5, 1.5)) * cos(sum(q[: k + 1])) for k in range(len(q))]
    return sum(arms) + line / 5 - float(draw.uniform(-0.5, 0.5))


def brute(q, rows, M, start, span=8.0):
    """Distances of all points of the set that Newton's method finds from a grid, in short steps."""
    n = len(q)
    phi, slopes = (
        sympy.lambdify(q, each, "numpy") for each in (rows, [[r.diff(x) for x in q] for r in rows])
    )
    back = np.linalg.inv(np.linalg.cholesky(M))
    axes = [np.linspace(-span, span, {1: 601, 2: 31, 3: 11}[n])] * n
    y = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, n)
    with np.errstate(all="ignore"):
        for k in range(40):
            at = list((start + y @ back).T)
            F = np.stack([np.broadcast_to(f, len(y)) for f in phi(*at)], -1)
            J = np.array([[np.broadcast_to(e, len(y)) for e in row] for row in slopes(*at)])
            J = np.nan_to_num(J.transpose(2, 0, 1) @ back.T)
            step = -np.einsum("kij,kj->ki", np.linalg.pinv(J, rcond=1e-9), np.nan_to_num(F))
            y = y + (np.clip(step, -0.2, 0.2) if k < 25 else step)
    return np.linalg.norm(y[np.abs(F).max(axis=1) < 1e-11], axis=1)


def check_nearest(seed):
    """Whether no point of the brute search is nearer; NaN if there is none at all."""
    system, q, rows, M, start = random_surface(seed)
    others = brute(q, rows, M, start)
    if not len(others):
        return np.nan
    near = rt.consistent(system, {}, dict(zip(q, start, strict=True)))
    move = near.moved_q
    J = np.array([[float(r.diff(x).subs(dict(zip(q, near.q, strict=True)))) for x in q] for r in rows])
    left = M @ move - J.T @ np.linalg.lstsq(J.T, M @ move, rcond=None)[0]
    assert np.abs(left).max() < 1e-6 * np.abs(M @ move).max()  # at a right angle to the set, by mass
    assert abs(np.array([float(r.subs(dict(zip(q, near.q, strict=True)))) for r in rows])).max() < 1e-12
    return np.sqrt(move @ M @ move) / others.min()


@pytest.mark.slow
def test_no_state_of_a_brute_search_is_nearer():
    assert np.nanmax([check_nearest(seed) for seed in (1, 5, 238)]) < 1 + 1e-9


@pytest.mark.slow
def test_hardly_any_state_of_a_brute_search_is_nearer():
    """Of a thousand: a nearer one may escape in a fold that is narrow beside the ball searched."""
    shares = np.array([check_nearest(seed) for seed in range(100, 1100)])
    assert np.isfinite(shares).sum() > 900
    assert (shares > 1 + 1e-9).sum() <= 5


def test_a_start_at_the_centre_of_a_ring_reaches_it_whatever_the_unit():
    x, y = rt.coordinates("x y")
    for radius in (1e-9, 1.0, 1e6):
        ring = rt.System(kinetic=ddt(x) ** 2 + ddt(y) ** 2, constraints=[x**2 + y**2 - radius**2])
        assert np.linalg.norm(rt.consistent(ring, {}, {}).q) == pytest.approx(radius, rel=1e-12)


def test_a_light_mass_beside_a_heavy_one_is_measured_by_its_own():
    x, y = rt.coordinates("x y")
    line = rt.System(kinetic=(1e-14 * ddt(x) ** 2 + 3e-14 * ddt(y) ** 2) / 2, constraints=[x + y - 4])
    assert rt.consistent(line, {}, {}).q == pytest.approx([3, 1], rel=1e-12)
    z = rt.coordinate("z")
    heavy = rt.System(kinetic=[*line.kinetic, ddt(z) ** 2], constraints=line.constraints)
    assert rt.consistent(heavy, {}, {}).q == pytest.approx([3, 1, 0], rel=1e-12)


def test_a_double_root_is_met_and_taken():
    x, y = rt.coordinates("x y")
    flat = rt.System(kinetic=ddt(x) ** 2 + ddt(y) ** 2, constraints=[x**2])
    assert again(flat, {}, {x: 1, y: 2}).q == pytest.approx([0, 2])


# --- one rule for what is met


def pinned(R, point):
    x, y, z = rt.coordinates("x y z")
    pin = vector(x, y, z) + R @ vector(*point)
    body = rt.rigid_body(2.0, (0.5, 0.6, 0.9), vector(x, y, z), R)
    system = rt.System(kinetic=body, potential=20 * z, constraints=[*R.constraints, *pin])
    return system, (x, y, z)


POSES = {
    "identity": np.eye(3),
    "half turn": np.diag([-1.0, -1.0, 1.0]),
    "quarter turn": np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]),
    "any": np.array([[2.0, -1, 2], [2, 2, -1], [-1, 2, 2]]) / 3,
}


@pytest.mark.parametrize("pose", sorted(POSES))
@pytest.mark.parametrize("rotations", [rt.quaternion, rt.rotation_matrix])
def test_a_pinned_body_starts_in_any_pose(pose, rotations):
    """The velocity of the centre is A (w x -p), by kinematics: the blow keeps the spin that fits."""
    p, A = np.array([0.3, -0.7, 1.1]), POSES[pose]
    R = rotations("e")
    system, centre = pinned(R, p)
    spin = np.array([0.4, -0.2, 0.9])
    q = dict(zip(centre, -A @ p, strict=True)) | R.start(A, spin=spin)
    v = A @ np.cross(spin, -p)
    exact = again(system, {}, q | {ddt(s): x for s, x in zip(centre, v, strict=True)})
    assert np.abs(exact.moved_v).max() < 1e-14
    again(system, {}, q)  # the centre must follow the spin


def start_of_a_body(seed):
    draw = np.random.default_rng(seed)
    R = (rt.quaternion if seed % 2 else rt.rotation_matrix)("e")
    A = list(POSES.values())[int(draw.integers(0, 4))]
    if seed % 3 == 0:
        A, _ = np.linalg.qr(draw.normal(size=(3, 3)))
        A = A * np.linalg.det(A)
    p = draw.normal(size=3) * 10 ** draw.uniform(-3, 3)
    system, centre = pinned(R, p)
    start = dict(zip(centre, -A @ p, strict=True)) | R.start(A, spin=draw.normal(size=3))
    return system, start | {ddt(centre[0]): draw.choice([0.0, 1e-13, 1e-6, 1.0])}


def start_of_a_chain(seed):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(2, 6))
    length, slant = 10 ** draw.uniform(-3, 3), draw.choice([0.0, 0.4, np.pi / 2])
    angles = np.full(n, slant) if seed % 2 else draw.normal(size=n)
    q = rt.coordinates(" ".join(f"x{k} y{k}" for k in range(n)))
    points = [vector(*q[2 * k : 2 * k + 2]) for k in range(n)]
    rods = [
        (norm2(b - a) - length**2) / 2 for a, b in zip([vector(0, 0), *points], points, strict=False)
    ]
    places = length * np.cumsum(np.stack([np.sin(angles), -np.cos(angles)], axis=1), axis=0)
    start = dict(zip(q, places.ravel(), strict=True)) | {ddt(x): draw.normal() for x in q[::2]}
    return rt.System(kinetic=[norm2(ddt(p)) for p in points], constraints=rods), start


@pytest.mark.parametrize("seed", range(6))
def test_what_consistent_returns_is_taken(seed):
    system, start = (start_of_a_body if seed % 2 else start_of_a_chain)(seed // 2)
    again(system, {}, start)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 400))
def test_many_of_what_consistent_returns_are_taken(seed):
    test_what_consistent_returns_is_taken(seed)


def test_a_ball_on_a_turntable_starts():
    """Rolling gives w2 = (x' + Omega y) / r and w1 = (Omega x - y') / r; w3 stays."""
    m, r, Omega = rt.parameters("m r Omega")
    x, y = rt.coordinates("x y")
    R = rt.quaternion("e")
    w = rt.angular_velocity(R, "space")
    rolling = [ddt(x) - r * w[1] + Omega * y, ddt(y) + r * w[0] - Omega * x]
    T = m / 2 * (ddt(x) ** 2 + ddt(y) ** 2) + m * r**2 / 5 * dot(w, w)
    ball = rt.System(kinetic=T, constraints=[*R.constraints, *rolling])
    values = {"m": 1.0, "r": 0.1, "Omega": 3.0}
    start = again(ball, values, {x: 0.2, ddt(y): 0.15, **R.start()})
    # the least blow P at the contact: y' = 0.15 + P, w1 = P r / (2 r^2 / 5), and they roll
    P = (3 * 0.2 - 0.15) / (1 + 5 / 2)
    assert start.v[1] == pytest.approx(0.15 + P, rel=1e-12)
    assert 2 * start.v[3] == pytest.approx(P / (0.4 * 0.1), rel=1e-12)


def test_rounding_beside_the_whole_state_is_no_violation():
    """A hanging chain that swings: its vertical velocities are zero, or what is left of it."""
    q = rt.coordinates("x0 y0 x1 y1 x2 y2")
    hanging = rt.System(
        kinetic=[ddt(x) ** 2 for x in q],
        constraints=[q[1] + 1, *(b - a + 1 for a, b in zip(q[1::2], q[3::2], strict=False))],
    )
    start = {x: -(k // 2 + 1.0) if k % 2 else 0.0 for k, x in enumerate(q)} | {ddt(q[0]): 1.0}
    rt.simulate(hanging, {}, start | {ddt(q[1]): 1e-17}, [0, 0.1])
    with pytest.raises(rt.DeclarationError, match=r"the rate of constraint 1, .*, by 1e-05"):
        rt.simulate(hanging, {}, start | {ddt(q[1]): 1e-5}, [0, 0.1])


@pytest.mark.parametrize("unit", [1e-9, 1e-3, 1e6])
@pytest.mark.parametrize("row", [1e-6, 1e6])
def test_what_is_met_does_not_depend_on_units(unit, row):
    x, y = rt.coordinates("x y")
    rod = rt.System(
        kinetic=ddt(x) ** 2 + ddt(y) ** 2, potential=y, constraints=[row * (x**2 + y**2 - unit**2)]
    )
    rt.simulate(rod, {}, {x: 0.6 * unit, y: 0.8 * (1 + 1e-8) * unit}, [0, 1e-9])
    with pytest.raises(rt.DeclarationError, match="violates constraint 1"):
        rt.simulate(rod, {}, {x: 0.6 * unit, y: 0.8 * (1 + 1e-4) * unit}, [0, 1e-9])


def test_what_has_no_mass_moves_first():
    """z = -x in the end, so that (x - 1)^2 + 2 (z - 3)^2 is least at x = -5/3."""
    x, y, z = rt.coordinates("x y z")
    pulley = rt.System(kinetic=ddt(x) ** 2 / 2 + ddt(z) ** 2, constraints=[x + 2 * y, y - z / 2])
    near = rt.consistent(pulley, {}, {x: 1, y: 2, z: 3, ddt(y): 1})
    assert near.q == pytest.approx([-5 / 3, 5 / 6, 5 / 3], rel=1e-9)
    assert near.v == pytest.approx([0, 0, 0], abs=1e-10)


def test_numbers_that_overflow_excuse_nothing():
    x, y = rt.coordinates("x y")
    system = rt.System(kinetic=ddt(x) ** 2 + ddt(y) ** 2, constraints=[x - y])
    with pytest.raises(rt.DeclarationError, match="products of larger numbers overflow"):
        rt.consistent(system, {}, {x: 1e300, y: -1e200})
    near = rt.consistent(system, {}, {x: 1e99, y: -1e98})
    assert near.q == pytest.approx([4.5e98, 4.5e98], rel=1e-12)


def test_a_constraint_that_moves_is_met_at_its_time():
    x, y = rt.coordinates("x y")
    u = rt.input("u")
    ring = rt.System(kinetic=ddt(x) ** 2 + ddt(y) ** 2, constraints=[(x - u) ** 2 + y**2 - 1])
    near = rt.consistent(ring, {}, {x: 1, y: 1}, inputs={u: sin(rt.t)}, time=0.5)
    way = np.array([1 - np.sin(0.5), 1]) / np.hypot(1 - np.sin(0.5), 1)
    assert near.q == pytest.approx([np.sin(0.5) + way[0], way[1]], rel=1e-12)
    assert near.v == pytest.approx(np.cos(0.5) * way[0] * way, rel=1e-12)


def platform():
    """Six legs of two bodies each carry a plate, whose quaternion is the identity (Stewart 1965)."""
    angles = [[-10, 10, 110, 130, 230, 250], [-50, 50, 70, 170, 190, 290]]
    base, top = (
        r * np.stack([np.cos(a), np.sin(a), 0 * a], axis=1)
        for r, a in zip((1, 0.6), np.deg2rad(np.array(angles, dtype=float)), strict=True)
    )
    x, y, z = rt.coordinates("x y z")
    e = rt.quaternion("e")
    centre = vector(x, y, z)
    T = [rt.rigid_body(5.0, (0.5, 0.6, 0.9), centre + e @ vector(0.02, 0.02, 0), e)]
    held, start = list(e.constraints), {z: 1.2, **e.start(), ddt(x): 0.5, ddt(e.coordinates[3]): 0.3}
    for k, (foot, head) in enumerate(zip(base, top, strict=True)):
        a, b, length = rt.coordinates(f"a{k} b{k} l{k}")
        R = rt.rotation(a, vector(1, 0, 0)) @ rt.rotation(b, vector(0, 1, 0))
        for m, place in ((1.0, 0.3), (0.7, length - 0.2)):
            T.append(rt.rigid_body(m, (0.02, 0.02, 0.01), vector(*foot) + R @ vector(0, 0, place), R))
        held += list(vector(*foot) + R @ vector(0, 0, length) - centre - e @ vector(*head))
        leg = head - foot + [0, 0, 1.2]
        along = leg / np.linalg.norm(leg)
        start |= {a: np.arctan2(-along[1], along[2]), b: np.arcsin(along[0])}
        start[length] = np.linalg.norm(leg)
    return rt.System(kinetic=T, constraints=held), start, e


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.0, 1e-6, 1e-3, 0.1])
def test_a_platform_on_six_legs_starts(rate):
    system, start, e = platform()
    again(system, {}, start | {ddt(e.coordinates[0]): rate})


# --- what cannot be met, and what is kept


def test_what_is_kept_is_named_only_where_it_is_in_the_way():
    x, y, z = rt.coordinates("x y z")
    ring = rt.System(kinetic=ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2, constraints=[x**2 + y**2 - 1])
    with pytest.raises(rt.SolveError, match=r"With `x` and `y` kept, constraint 1.*Keep fewer"):
        rt.consistent(ring, {}, {x: 1, y: 2}, keep=[x, y, z])
    with pytest.raises(rt.SolveError, match=r"With `x` kept, no position .*Keep fewer"):
        rt.consistent(ring, {}, {x: 3, y: 2}, keep=[x])
    with pytest.raises(rt.SolveError, match=r"With `x'` kept, constraint 1.*4 is left"):
        rt.consistent(ring, {}, {x: 1, ddt(x): 2}, keep=[ddt(x)])
    both = ring.changed(constraints=[y, y - 1])
    for keep in ((), (x, z)):
        with pytest.raises(rt.SolveError, match="contradict each other") as refused:
            rt.consistent(both, {}, {}, keep=keep)
        assert "eep fewer" not in str(refused.value)
    rates = ring.changed(constraints=[x * ddt(y) - 1])
    with pytest.raises(rt.SolveError, match=r"No velocity satisfies constraint 1.*Try another"):
        rt.consistent(rates, {}, {})


def test_a_crank_at_its_dead_point_cannot_push_the_slider():
    a, b, s = rt.coordinates("a b s")
    crank = rt.System(
        kinetic=ddt(a) ** 2 + ddt(b) ** 2 + ddt(s) ** 2,
        constraints=[cos(a) + 2 * cos(b) - s, sin(a) - 2 * sin(b)],
    )
    with pytest.raises(rt.SolveError, match="With `s'` kept, constraint 1"):
        rt.consistent(crank, {}, {s: 3, ddt(s): 1}, keep=[ddt(s)])
    assert again(crank, {}, {s: 3, ddt(s): 1}).v == pytest.approx([0, 0, 0], abs=1e-15)
    free = again(crank, {}, {s: 3, ddt(a): 1})  # 2 b' = a' with the least change of both
    assert free.v == pytest.approx([0.8, 0.4, 0], rel=1e-12)


def test_a_batch_of_starts_says_which_were_found():
    x, y = rt.coordinates("x y")
    a = rt.parameter("a")
    ring = rt.System(kinetic=ddt(x) ** 2 + ddt(y) ** 2, constraints=[x**2 + y**2 - a])
    starts = rt.consistent(ring, {"a": np.array([1.0, -1.0, 4.0])}, {x: 3.0, y: 4.0})
    np.testing.assert_allclose(starts.q, [[0.6, 0.8], [np.nan] * 2, [1.2, 1.6]], rtol=1e-12)
    assert list(starts.status) == [rt.Status.CONVERGED, rt.Status.STALLED, rt.Status.CONVERGED]
    assert "2 of 3 consistent starts" in str(starts)
    with pytest.raises(rt.DeclarationError, match="no state at 1 of 3 points"):
        rt.simulate(ring, {"a": np.array([1.0, -1.0, 4.0])}, starts, [0, 1])


# --- constraints that depend on each other


def test_rows_are_named_that_take_part_in_a_dependency():
    J = np.array(
        [[1.0, 0, 0, 0], [0, 1, 0, 0], [2, -3, 0, 0], [0, 0, 1, 0], [0, 0, 5, 0], [0, 0, 0, 1]]
    )
    for rows in (1.0, 10.0 ** np.array([-6, 6, 3, 0, -5, 5])):
        for columns in (1.0, 10.0 ** np.array([4, -6, 6, -4])):
            found = dependence(J * np.reshape(rows, (-1, 1)) * columns)
            assert found.rank == 4
            assert found.groups == ((0, 1, 2), (3, 4))
    assert dependence(np.zeros((2, 3))).groups == ((0,), (1,))
    assert dependence(np.zeros((0, 3))).groups == ()
    assert not surely_independent(J)
    assert surely_independent(J[[0, 1, 3, 5]])


def tangled(seed):
    """Random rows (c, n), combinations of some of them, all with factors, and the true groups."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(4, 9))
    plain = draw.normal(size=(int(draw.integers(2, n)), n))
    rows, groups = [*plain], []
    free = list(draw.permutation(len(plain)))
    while len(free) > 1 and len(groups) < 3:
        own = [free.pop() for _ in range(int(draw.integers(1, min(3, len(free)) + 1)))]
        rows.append(draw.uniform(0.3, 3, len(own)) @ plain[own])
        groups.append({*own, len(rows) - 1})
    J = np.array(rows) * 10 ** draw.uniform(-6, 6, (len(rows), 1)) * 10 ** draw.uniform(-6, 6, n)
    order = draw.permutation(len(rows))
    places = {int(old): new for new, old in enumerate(order)}
    return J[order], {tuple(sorted(places[int(k)] for k in group)) for group in groups}


@pytest.mark.parametrize("seed", range(30))
def test_random_dependencies_are_told_apart(seed):
    J, groups = tangled(seed)
    found = dependence(J)
    assert found.lacking == len(groups)
    assert set(found.groups) == groups


@pytest.mark.slow
def test_many_random_dependencies_are_told_apart():
    for seed in range(100, 3100):
        test_random_dependencies_are_told_apart(seed)


def three_bars():
    q = rt.coordinates("x1 y1 x2 y2 x3 y3")
    p = [vector(*q[2 * k : 2 * k + 2]) for k in range(3)]
    arms = [(norm2(each - vector(k, 0)) - 1) / 2 for k, each in enumerate(p)]
    bars = [norm2(p[1] - p[0]) - 1, norm2(p[2] - p[1]) - 1, norm2(p[2] - p[0]) - 4]
    system = rt.System(
        kinetic=[norm2(ddt(each)) / 2 for each in p],
        potential=[9.81 * each[1] for each in p],
        constraints=[*arms, *bars],
    )
    start = {x: (k // 2 + np.sin(0.3), np.cos(0.3))[k % 2] for k, x in enumerate(q)}
    return system, start


def test_the_end_of_a_run_with_redundant_constraints_is_a_start():
    """Three bars along one line: each is as long as the others say; the arms are free of that."""
    system, start = three_bars()
    run = rt.simulate(system, {}, start, [0, 1, 2])
    said = str(run)
    assert "have rank 5: constraint 4, " in said
    assert all(f"constraint {k}, " in said for k in (4, 5, 6))
    assert not any(f"constraint {k}, " in said for k in (1, 2, 3))
    names = (*system.coordinates, *system.velocities)
    end = dict(zip(names, np.concatenate([run.q[-1], run.v[-1]]), strict=True))
    moved = again(system, {}, end)
    assert np.abs(moved.moved_q).max() < 1e-14
    assert np.abs(moved.moved_v).max() < 1e-8  # to the tolerance of the run


@pytest.mark.parametrize("seed", range(2))
def test_combinations_of_rows_change_nothing(seed):
    """A chain of rods, some rows twice and in combinations, each with a factor from 1e-6 to 1e6."""
    system, start = start_of_a_chain(2 * seed)
    draw = np.random.default_rng(seed)
    rows = list(system.constraints)
    sums = [float(a) * rows[0] + float(b) * rows[1] for a, b in draw.uniform(0.5, 2, (2, 2))]
    factors = 10 ** draw.uniform(-6, 6, len(rows) + 2)
    more = system.changed(
        constraints=[float(f) * row for f, row in zip(factors, [*rows, *sums], strict=True)]
    )
    moved = {x: value * 1.001 for x, value in start.items()}
    one, other = rt.consistent(system, {}, moved), again(more, {}, moved)
    size = np.abs(one.q).max(), np.abs(one.v).max()
    np.testing.assert_allclose(other.q, one.q, atol=1e-12 * size[0])
    np.testing.assert_allclose(other.v, one.v, atol=1e-11 * size[1])
    state = dict(zip((*system.coordinates, *system.velocities), [*one.q, *one.v], strict=True))
    first, second = (rt.simulate(s, {}, state, [0, 0.05]) for s in (system, more))
    np.testing.assert_allclose(second.q, first.q, atol=1e-9 * size[0])
    assert f"have rank {len(rows)}" in str(second)
    assert "constraint 1, " in str(second)


def test_many_redundant_rows_are_not_taken_for_independent_ones():
    """240 coordinates: the chain falls as without the row that follows from others."""
    n = 120
    q = rt.coordinates(" ".join(f"x{k} y{k}" for k in range(n)))
    points = [vector(*q[2 * k : 2 * k + 2]) for k in range(n)]
    rods = [(norm2(b - a) - 1) / 2 for a, b in zip([vector(0, 0), *points], points, strict=False)]
    T, V = [norm2(ddt(p)) / 2 for p in points], [9.81 * p[1] for p in points]
    start = {x: k + 1.0 for k, x in enumerate(q[::2])}
    runs = [
        rt.simulate(rt.System(kinetic=T, potential=V, constraints=[*rods, *more]), {}, start, [0, 0.2])
        for more in ([], [3 * rods[0] + rods[1] - 2 * rods[n // 2]])
    ]
    np.testing.assert_allclose(runs[1].q, runs[0].q, atol=1e-8)
    assert runs[1].constraint_error < 1e-12


def test_softness_leaves_nothing_in_the_accelerations():
    """Two rows of 0.01 between them, one of them twice: each proximal step gains four digits."""
    x, y, z = rt.coordinates("x y z")
    slope = 0.01
    rows = [x + y, x + (1 + slope) * y + slope * z, 2 * (x + y)]
    T = (ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2
    system = rt.System(kinetic=T, potential=x + 2 * y + 3 * z, constraints=rows)
    flow = MovingSystem(motion(system, (), False, True), np.zeros(0), np.zeros(0), None)
    start = np.zeros(flow.motion.size)
    a = flow.scaled_at(0.0, start).run("solved", 0.0, start)[0][:, 0]
    # what both rows leave free is (1, -1, 1), and the force along it is -(1 - 2 + 3)
    np.testing.assert_allclose(a, -2 / 3 * np.array([1, -1, 1]), rtol=1e-10)


def test_factors_of_constraints_do_not_change_what_inputs_do():
    x, y, z = rt.coordinates("x y z")
    u, w = rt.inputs("u w")
    T = (ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2
    for f, g in ((1, 1), (1e6, 1e-6)):
        led = rt.System(
            kinetic=T, potential=(z - x) ** 2 + 2 * (z - y) ** 2, constraints=[f * (x - u), g * (y - w)]
        )
        linear = rt.linearize(rt.equilibrium(led, {}, inputs={u: 0, w: 0}))
        columns = dict(zip(map(str, linear.inputs), np.abs(linear.B[0]), strict=True))
        assert columns["u"] == pytest.approx(2)  # the slopes of the two springs
        assert columns["w"] == pytest.approx(4)


# --- along a motion, and constraints that are zero


def four_bar(extra):
    """A loop of three links in a plane, as x and z of its end, and more rows that follow from them."""
    q = rt.coordinates("q0 q1 q2")
    angles = [sum(q[: k + 1]) for k in range(3)]
    lengths = (0.4, 1.0, 0.8)
    ends = [sum(l * f(a) for l, a in zip(lengths, angles, strict=True)) for f in (cos, sin)]
    rows = [ends[0] - 1.1, ends[1]]
    rows += {"none": [], "sum": [rows[0] + 2 * rows[1]], "scaled": [1e6 * rows[1], 1e-6 * rows[0]]}[
        extra
    ]
    T = sum(ddt(a) ** 2 * (k + 1) for k, a in enumerate(angles)) + ddt(q[0]) * ddt(q[1]) * cos(q[1]) / 3
    return rt.System(kinetic=T, potential=sum(sin(a) for a in angles), constraints=rows), q


@pytest.mark.parametrize("extra", ["sum", "scaled"])
def test_a_linear_model_along_a_motion_takes_redundant_constraints(extra):
    models = []
    for system, q in (four_bar("none"), four_bar(extra)):
        start = {q[0]: -1.0, q[1]: 0.8, q[2]: 0.9, ddt(q[0]): 2.0}
        begin = rt.consistent(system, {}, start, keep=[q[0], ddt(q[0])])
        models.append(rt.linearize(rt.simulate(system, {}, begin, np.linspace(0, 0.5, 6), rtol=1e-11)))
    assert [str(m.independent) for m in models] == ["(q0,)"] * 2
    np.testing.assert_allclose(models[1].A, models[0].A, rtol=1e-7, atol=1e-7)


def test_a_rank_that_changes_along_a_motion_is_refused():
    """Two rods in line: there the position is singular, and between it and there it is not."""
    x, y = rt.coordinates("x y")
    cross = rt.System(kinetic=ddt(x) ** 2 + ddt(y) ** 2, constraints=[x * y])
    run = rt.simulate(cross, {}, {ddt(x): 1.0}, [0, 0.5, 1])
    with pytest.raises(rt.DerivationError, match=r"has rank 0 at t = 0 and rank 1 at t = 0\.5"):
        rt.linearize(run)


def test_a_constraint_that_is_zero_is_left_out_and_told():
    x, y = rt.coordinates("x y")
    T = ddt(x) ** 2 + ddt(y) ** 2
    system = rt.System(kinetic=T, constraints=[x - x, y, sympy.Float(0)])
    assert system.constraints == (y,)
    assert system.idle_constraints == (0, 2)
    assert "left out, being always 0: constraint 1, 3 of those given" in repr(system)
    plain = rt.System(kinetic=T, constraints=[y])
    assert plain.idle_constraints == ()
    assert system == plain
    with pytest.raises(rt.DeclarationError, match="contains no coordinate"):
        rt.System(kinetic=T, constraints=[1])


def test_a_constraint_that_is_zero_in_other_words_is_told():
    x, y = rt.coordinates("x y")
    T = ddt(x) ** 2 + ddt(y) ** 2
    system = rt.System(kinetic=T, constraints=[y, sin(x) ** 2 + cos(x) ** 2 - 1])
    run = rt.simulate(system, {}, {ddt(x): 1.0}, [0, 1])
    assert run.q[-1] == pytest.approx([1, 0])
    assert "is zero everywhere and holds nothing" in str(run)


@pytest.mark.parametrize("light", [1e-3, 1e-4, 1e-6, 0.0])
def test_a_start_out_of_reach_does_not_turn_light_cranks(light):
    """The rod of three straight is nearest to a slider at four; angles near zero, not turns away."""
    x, y, z = rt.coordinates("x y z")
    J = rt.parameter("J")
    crank = rt.System(
        kinetic=(ddt(x) ** 2 + J * (ddt(y) ** 2 + ddt(z) ** 2)) / 2,
        constraints=[x - rt.cos(y) - 2 * rt.cos(z), rt.sin(y) - 2 * rt.sin(z)],
    )
    near = rt.consistent(crank, {J: light}, {x: 4.0, y: 0.5})
    assert near.q[0] == pytest.approx(3, abs=1e-6)
    assert np.abs(near.q[1:]).max() < 1e-2
