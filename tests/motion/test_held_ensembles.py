"""Ensembles under constraints by compiled code: against runs one by one, and what is handed back."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from routh import ddt
from routh.kernels.engine import Unsupported
from routh.kernels.native.compiler import compiler
from routh.kernels.native.held_ensemble import HeldEnsemble, SaddleParts

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")

TIMES = np.linspace(0, 2, 21)
VALUES = {"m": 1.5, "l": 0.8, "g": 9.81}


def double_pendulum(pushed=False):
    """Two masses on rods, in Cartesian coordinates."""
    m, l, g = rt.parameters("m l g")
    x1, y1, x2, y2 = rt.coordinates("x1 y1 x2 y2")
    more = {"dissipation": 0.2 * ddt(x2) ** 2, "forces": {x1: rt.input("u")}} if pushed else {}
    return rt.System(
        kinetic=(ddt(x1) ** 2 + ddt(y1) ** 2) / 2 + m / 2 * (ddt(x2) ** 2 + ddt(y2) ** 2),
        potential=g * (y1 + m * y2),
        constraints=[x1**2 + y1**2 - 1, (x2 - x1) ** 2 + (y2 - y1) ** 2 - l**2],
        **more,
    )


def starts(count=3):
    a, b = np.random.default_rng(4).uniform(0.2, 0.9, size=(2, count))
    l = VALUES["l"]
    x1, y1 = np.sin(a), -np.cos(a)
    return {"x1": x1, "y1": y1, "x2": x1 + l * np.sin(b), "y2": y1 - l * np.cos(b)}


def run(system, start, engine="c", values=VALUES, **more):
    return rt.simulate(system, values, start, TIMES, engine=engine, progress=False, **more)


def errors(motion, exact):
    return np.abs(motion.q - exact.q).max(), np.abs(motion.v - exact.v).max()


def test_an_ensemble_is_its_runs_and_keeps_the_constraints():
    system = double_pendulum()
    ours, theirs = (run(system, starts(), name) for name in ("c", "casadi"))
    exact = run(system, starts(), "casadi", rtol=1e-12)
    assert set(ours.engine.ravel()) == {"c"}
    assert (ours.run_status == theirs.run_status).all()
    for one, other in zip(errors(ours, exact), errors(theirs, exact), strict=True):
        assert one < 3 * other + 1e-12
    assert ours.energy_error.max() < 1e-8
    x1, y1, x2, y2 = np.moveaxis(ours.q, -1, 0)
    assert np.abs(x1**2 + y1**2 - 1).max() < 1e-14
    assert np.abs((x2 - x1) ** 2 + (y2 - y1) ** 2 - 0.64).max() < 1e-14
    assert np.abs(x1 * ours.v[..., 0] + y1 * ours.v[..., 1]).max() < 1e-14
    np.testing.assert_allclose(ours.multipliers, theirs.multipliers, rtol=1e-6, atol=1e-6)


def test_one_of_a_batch_has_the_same_bits_alone(monkeypatch):
    system, many = double_pendulum(), starts()
    batch = run(system, many)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    alone = run(system, {name: each[2] for name, each in many.items()})
    assert alone.engine == "c"
    assert np.array_equal(alone.q, batch.q[2])
    dense = batch(np.union1d(TIMES, [0.77]))
    assert np.array_equal(dense.q[:, np.isin(dense.t, TIMES)], batch.q)


def test_damping_and_inputs_do_work_that_is_counted():
    system = double_pendulum(pushed=True)
    ours, theirs = (
        run(system, starts(), name, inputs={"u": 3 * rt.sin(4 * rt.t)}) for name in ("c", "casadi")
    )
    assert set(ours.engine.ravel()) == {"c"}
    np.testing.assert_allclose(ours.q, theirs.q, atol=1e-7)
    np.testing.assert_allclose(ours.work, theirs.work, atol=1e-7)
    assert ours.energy_error.max() < 1e-7


def test_a_skate_keeps_its_velocities_and_a_moving_guide_its_place():
    x, y, theta = rt.coordinates("x y theta")
    skate = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2 + ddt(theta) ** 2) / 2,
        potential=x,
        constraints=[ddt(x) * rt.sin(theta) - ddt(y) * rt.cos(theta)],
    )
    start = {"theta": 0.0, "theta'": np.array([1.0, 1.5, 2.0]), "x'": 0.3}
    ours, theirs = (run(skate, start, name, values={}) for name in ("c", "casadi"))
    assert set(ours.engine.ravel()) == {"c"}
    np.testing.assert_allclose(ours.q, theirs.q, atol=1e-8)
    held = ours.v[..., 0] * np.sin(ours.q[..., 2]) - ours.v[..., 1] * np.cos(ours.q[..., 2])
    assert np.abs(held).max() < 1e-14

    guided = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=y**2 / 2, constraints=[x - y - rt.sin(rt.t)]
    )
    first = {"y": np.array([0.1, 0.4]), "x": np.array([0.1, 0.4]), "x'": 1.0}
    ours, theirs = (run(guided, first, name, values={}) for name in ("c", "casadi"))
    assert set(ours.engine.ravel()) == {"c"}
    np.testing.assert_allclose(ours.q, theirs.q, atol=1e-8)
    np.testing.assert_allclose(ours.work, theirs.work, atol=1e-8)
    assert np.abs(ours.q[..., 0] - ours.q[..., 1] - np.sin(TIMES)).max() < 1e-14


def test_redundant_constraints_and_other_ways_to_hold_them_go_as_ever():
    x, y = rt.coordinates("x y")
    twice = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=y,
        constraints=[x**2 + y**2 - 1, 2 * (x**2 + y**2) - 2],
    )
    start = {"x": np.array([1.0, 0.6]), "y": np.array([0.0, -0.8])}
    ours, theirs = (run(twice, start, name, values={}) for name in ("c", "casadi"))
    assert set(ours.engine.ravel()) == {"casadi"}
    assert np.array_equal(ours.q, theirs.q)
    baumgarte = run(double_pendulum(), starts(2), stabilize=(5.0, 5.0))
    assert set(baumgarte.engine.ravel()) == {"casadi"}


def test_many_constraints_are_left_to_sparse_solves():
    parts = SaddleParts(None, None, None, None, n=20, c=11)
    with pytest.raises(Unsupported, match="many constraints"):
        HeldEnsemble(parts, None, None)


def test_a_singular_place_is_handed_back():
    x, y = rt.coordinates("x y")  # the curve crosses itself at the origin, with two tangents
    crossing = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, constraints=[(x - y) * (x + y + x**2)], name="crossing"
    )
    start = {"x": np.array([-0.5, 0.5]), "y": np.array([-0.5, 0.5]), "x'": 1.0, "y'": 1.0}
    ours, theirs = (run(crossing, start, name, values={}) for name in ("c", "casadi"))
    assert ours.engine.tolist() == ["casadi", "c"]
    assert (ours.run_status == theirs.run_status).all()
    assert (ours.run_message == theirs.run_message).all()
    np.testing.assert_allclose(ours.q[1], theirs.q[1], atol=1e-9)


def test_starts_off_the_constraints_are_refused_in_the_same_words():
    wrong = starts(2) | {"y1": np.array([-0.5, -0.5])}
    said = []
    for engine in ("c", "casadi"):
        with pytest.raises(rt.DeclarationError, match="violates constraint 1") as error:
            run(double_pendulum(), wrong, engine)
        said.append(str(error.value))
    assert said[0] == said[1]
