"""Drift off the constraints: how it grows by the form of the equations, and how it dies out."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from routh import cos, ddt, sin
from routh.lecture.derive import derive

x, y, psi = rt.coordinates("x y psi")
g = rt.parameter("g")
BOB = rt.System(
    kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=g * y, constraints=[(x**2 + y**2 - 1) / 2]
)
TIMES = np.linspace(0, 9, 19)


def test_what_is_differentiated_drifts_with_a_power_of_time():
    """|phi| <= h^4 (A t + B t^2) for index 1 and h^4 A t for index 2: Hairer and Wanner, VII.2."""
    found = rt.drift(BOB, {"g": 9.81}, {x: 1.0}, TIMES, step=0.03)
    by = dict(zip(found.forms, found.off_q[:, -1], strict=True))
    assert by["index 3"] < 1e-14
    assert by["ordinary"] < 1e-14
    assert by["index 2"] < by["index 1"] / 30
    assert by["Baumgarte"] < by["index 1"] / 30
    growth = dict(zip(found.forms, found.growth, strict=True))
    assert growth["index 1"] == pytest.approx(2, abs=0.1)
    assert growth["index 2"] == pytest.approx(1, abs=0.1)
    assert np.isnan(growth["index 3"])
    assert found.off_v[1].max() < 1e-14 < found.off_v[2].max()


def test_a_deviation_dies_out_with_the_roots_of_baumgarte_s_row():
    found = rt.drift(BOB, {"g": 9.81}, {x: 1.0}, [0.0, 0.1], step=0.1, stabilize=(3.0, 5.0))
    assert found.roots == pytest.approx((-3 + 4j, -3 - 4j))
    for s in found.roots:
        assert abs(s**2 + 2 * 3 * s + 25) < 1e-12
    moved = rt.drift(
        BOB, {"g": 9.81}, {x: 1.0 + 1e-7}, np.linspace(0, 1, 11), step=0.01, stabilize=(4.0, 4.0)
    )
    assert moved.off_q[0, 0] < 1e-13  # the start is moved onto the constraints first


def test_constraints_on_velocities_have_no_positions_to_lose():
    skate = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2 + ddt(psi) ** 2) / 2,
        potential=g * x,
        constraints=[ddt(x) * sin(psi) - ddt(y) * cos(psi)],
    )
    start = {psi: 0.3, ddt(psi): 2.0, ddt(x): np.cos(0.3), ddt(y): np.sin(0.3)}
    found = rt.drift(skate, {"g": 1.0}, start, [0, 2, 4], step=0.1)
    assert not found.off_q.any()
    by = dict(zip(found.forms, found.off_v[:, -1], strict=True))
    assert "index 3" not in found.forms
    assert "index 3" not in str(found)
    assert found.off_q.shape == (4, 3)
    assert max(by[form] for form in ("index 2", "ordinary")) < 1e-13
    assert by["Baumgarte"] < by["index 1"]
    told = str(derive(found))
    assert "For a constraint on velocities" in told
    assert "ndex 3" not in told


def test_what_drift_is_not_asked():
    with pytest.raises(rt.DeclarationError, match="drift measures how constraints are kept"):
        rt.drift(rt.System(kinetic=ddt(x) ** 2), {}, {}, [0, 1])
    with pytest.raises(rt.DeclarationError, match="`step` must be above zero"):
        rt.drift(BOB, {"g": 1}, {x: 1}, [0, 1], step=0.0)
    with pytest.raises(rt.DeclarationError, match="`stabilize` is a pair"):
        rt.drift(BOB, {"g": 1}, {x: 1}, [0, 1], stabilize=(-1.0, 1.0))
    with pytest.raises(rt.DeclarationError, match="`start` violates constraint 1"):
        rt.drift(BOB, {"g": 1}, {x: 2}, [0, 1])
    batch = rt.drift(BOB, {"g": [1.0, 2.0]}, {x: 1.0}, [0.0, 0.1], step=0.05)
    assert batch.off_q.shape == (2, 5, 2)
    assert batch.growth.shape == (2, 5)
    with pytest.raises(rt.DeclarationError, match="the drift of one motion"):
        derive(batch)
