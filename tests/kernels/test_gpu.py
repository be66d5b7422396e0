"""Every verb on a GPU: the same source with stacks by column, compiled for the host here."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import routh as rt
from device import Cupy
from routh.errors import MissingExtra
from routh.kernels.native.compiler import compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")

x, y = rt.coordinates("x y")
m, k, c, w = rt.parameters("m k c w")
ROTOR = rt.System(
    kinetic=m * ((rt.ddt(x) - w * y) ** 2 + (rt.ddt(y) + w * x) ** 2) / 2,
    potential=k * (x**2 + 2 * y**2) / 2 + rt.cos(x),
    dissipation=c * (rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2,
)
VALUES = {"m": 1.0, "k": np.linspace(0.5, 6, 70), "c": 0.1, "w": 0.3}
SHAKEN = rt.System(
    kinetic=rt.ddt(x) ** 2 / 2, potential=-(1 + m * rt.cos(2 * rt.t)) * rt.cos(x),
    dissipation=c * rt.ddt(x) ** 2 / 2,
)  # fmt: skip
MATHIEU = {"m": np.linspace(0, 0.5, 70), "c": 0.05}


@pytest.fixture(params=[10**9, 5_000])
def device(request, monkeypatch):
    """A device with much memory, and one with so little that stacks go there in parts."""
    found = Cupy(1, request.param)
    monkeypatch.setitem(sys.modules, "cupy", found)
    found.free = request.param
    return found


def test_accelerations(device):
    found, plain = (
        rt.dynamics(ROTOR, VALUES, {"x": 0.3}, engine=engine) for engine in ("cuda", "casadi")
    )
    for name in ("M", "h", "Q", "a"):
        np.testing.assert_array_equal(getattr(found, name), getattr(plain, name))
    assert sum(device.launched) == 70


def test_rests_models_eigenvalues_and_verdicts(device):
    ways = []
    for engine in ("cuda", "c"):
        rest = rt.equilibrium(ROTOR, VALUES, guess={"x": 0.1, "y": 0.1}, raises=False, engine=engine)
        linear = rt.linearize(rest, engine=engine)
        modes, verdict = rt.modes(linear, engine=engine), rt.stability(linear, engine=engine)
        assert {rest.engine, modes.engine, verdict.engine} == {engine}
        ways.append(
            (rest.q, rest.history, linear.K, modes.eigenvalues, verdict.curvature, verdict.reason)
        )
    for there, here in zip(*ways, strict=True):
        np.testing.assert_array_equal(there, here)
    assert (max(device.launched) < 70) == (device.free < 10**6)


def test_motions(device):
    start = {"x": np.linspace(0, 1, 70), "y": 0.2}
    there, here = (
        rt.simulate(ROTOR, VALUES, start, times=np.linspace(0, 3, 5), engine=engine)
        for engine in ("cuda", "c")
    )
    assert set(there.engine.flat) == {"cuda"}
    np.testing.assert_array_equal(there.q, here.q)
    assert (max(device.launched) < 70) == (device.free < 10**6)


def test_as_many_outputs_as_runs_are_not_taken_for_a_stack(device):
    start = {"x": np.linspace(0, 1, 7), "y": 0.2}
    values = VALUES | {"k": 2.0}
    there, here = (
        rt.simulate(ROTOR, values, start, times=np.linspace(0, 3, 7), engine=engine)
        for engine in ("cuda", "c")
    )
    np.testing.assert_array_equal(there.q, here.q)


def test_charts(device):
    there, here = (rt.floquet(SHAKEN, MATHIEU, np.pi, engine=engine) for engine in ("cuda", "c"))
    assert there.engine == "cuda"
    np.testing.assert_array_equal(there.monodromy, here.monodromy)
    assert (max(device.launched) < 70) == (device.free < 10**6)


def test_without_the_extra_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    rest = rt.equilibrium(ROTOR, VALUES | {"k": 2.0})
    for verb in (
        lambda: rt.dynamics(ROTOR, VALUES, engine="cuda"),
        lambda: rt.equilibrium(ROTOR, VALUES, engine="cuda"),
        lambda: rt.linearize(rest, engine="cuda"),
        lambda: rt.modes(rt.linearize(rest), engine="cuda"),
        lambda: rt.simulate(ROTOR, VALUES, {"x": 0.1}, times=[0, 1], engine="cuda"),
        lambda: rt.floquet(SHAKEN, MATHIEU, np.pi, engine="cuda"),
    ):
        with pytest.raises(MissingExtra, match=r'engine="cuda" runs on an NVIDIA GPU.*routh\[gpu\]'):
            verb()


def test_a_machine_whose_driver_shows_no_gpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", Cupy(0, 0))
    with pytest.raises(rt.DerivationError, match="needs an NVIDIA GPU, and this machine shows none"):
        rt.dynamics(ROTOR, VALUES, engine="cuda")


def test_a_device_with_too_little_memory(monkeypatch):
    device = Cupy(1, 10)

    def full(array):
        raise MemoryError

    device.asarray = full
    monkeypatch.setitem(sys.modules, "cupy", device)
    with pytest.raises(rt.DerivationError, match=r"The GPU has 1e-08 GB.*too little for 70 points"):
        rt.dynamics(ROTOR, VALUES, engine="cuda")
