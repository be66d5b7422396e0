"""Modules of NumPy and JAX: read by Python alone, held to `dynamics`, `simulate` and `linearize`."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import numpy as np
import pytest
import sympy
from rounds import PLACES, every_word, hold_linear, hold_motion, hold_points, numbers, points

import routh as rt
from ten_systems import NAMES, SOME, ten


def read(path):
    """The module in a file."""
    found = importlib.util.spec_from_file_location(f"exported_{path.stem}", path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def made(folder, name, **more):
    given = ten(name)
    return read(rt.export(given.system, folder / f"{name}.py", values=given.values, **more)[0])


@pytest.mark.parametrize("name", SOME)
def test_ten_systems_in_numpy(name, tmp_path):
    module = made(tmp_path, name)
    hold_points(name, module)
    hold_motion(name, module, rtol=1e-8, close=1e-5)
    hold_linear(name, module)
    assert list(module.PARAMETERS.values()) == list(numbers(name))


def test_pieces_that_do_not_hold_are_silent(tmp_path):
    """Warnings are errors here; the root of a negative number is never taken into a result."""
    x = rt.coordinate("x")
    force = sympy.Piecewise((sympy.sqrt(x), x > 0), (sympy.log(-x), x < 0), (0, True))
    system = rt.System(kinetic=rt.ddt(x) ** 2 / 2, forces={x: force})
    module = read(rt.export(system, tmp_path / "pieces.py")[0])
    for place in (-2.0, 0.0, 2.0):
        expected = rt.dynamics(system, {}, {x: place}).a[0]
        assert module.rate(0.0, [place, 0.0])[1] == pytest.approx(expected)
        assert np.isfinite(module.linear(0.0, [place, 0.0])[0]).all()


def test_pieces_are_differentiated_forwards_in_jax(tmp_path):
    """And backwards where they are real; the module says what happens elsewhere."""
    jax = pytest.importorskip("jax")
    x = rt.coordinate("x")
    force = sympy.Piecewise((sympy.sqrt(x), x > 0), (-x, True))
    system = rt.System(kinetic=rt.ddt(x) ** 2 / 2, forces={x: force})
    path = rt.export(system, tmp_path / "pieces.py", what="jax")[0]
    module, told = read(path), "take jax.jacfwd there, or the function linear" in path.read_text()
    for place, ways in ((-0.5, [jax.jacfwd]), (0.5, [jax.jacfwd, jax.jacrev])):
        at = jax.numpy.array([place, 0.1])
        A = module.linear(0.0, at)[0]
        for way in ways:
            np.testing.assert_allclose(way(lambda state: module.rate(0.0, state))(at), A, rtol=1e-6)
    backward = jax.jacrev(lambda state: module.rate(0.0, state))(jax.numpy.array([-0.5, 0.1]))
    assert told == bool(np.isnan(backward).any())


@pytest.mark.parametrize("name", SOME)
def test_stacks_of_points_in_numpy(name, tmp_path):
    """A stack is what its points are, one by one."""
    module, found = made(tmp_path, name), points(name)
    t = np.array([each[0] for each in found])
    x, u = (np.stack([each[k] for each in found]) for k in (1, 2))
    every = module.rate(t, x, u, numbers(name))
    for k in range(len(found)):
        one = module.rate(t[k], x[k], u[k], numbers(name))
        np.testing.assert_allclose(every[k], one, rtol=1e-13, atol=1e-13 * np.abs(one).max())
    A, B = module.linear(t[:, None], x[:, None], u[:, None], numbers(name))
    assert A.shape == (3, 1, x.shape[1], x.shape[1])
    assert B.shape == (3, 1, x.shape[1], u.shape[1])


@pytest.mark.parametrize("name", ["cartesian_pendulum", "rolling_disc", "kite"])
def test_numpy_projects_onto_the_constraints(name, tmp_path):
    module, given = made(tmp_path, name), ten(name)
    t, x, u, *_ = points(name)[0]
    system = given.system
    start = [given.start.get(str(s), 0.0) for s in (*system.coordinates, *system.velocities)]
    x = np.array(start) + 1e-3 * x
    for _ in range(4):
        x = module.project(t, x, u)
    assert max(np.abs(each).max(initial=0) for each in module.held(t, x, u)) < 1e-11


def test_bad_arguments_of_a_module_are_told(tmp_path):
    module = made(tmp_path, "cart_pole")
    with pytest.raises(ValueError, match=r"Expected numbers for .*theta"):
        module.rate(0.0, [1.0, 2.0])
    with pytest.raises(ValueError, match=r"Expected numbers for \['F'\]"):
        module.rate(0.0, np.zeros(4))
    with pytest.raises(KeyError, match="no parameters"):
        module.values(mass=1.0)
    heavy = module.rate(0.0, [0.0, 0.1, 0, 0], [1.0], module.values(M=5.0))
    light = module.rate(0.0, [0.0, 0.1, 0, 0], [1.0])
    assert heavy[2] < light[2]
    held = made(tmp_path, "cartesian_pendulum")
    with pytest.raises(np.linalg.LinAlgError, match="do not determine"):
        held.rate(0.0, np.zeros(4))


def test_a_module_needs_no_routh(tmp_path):
    """Python by itself, without the folder of Routh, reads and runs it."""
    given = ten("double_pendulum")
    path = rt.export(given.system, tmp_path / "double_pendulum.py", values=given.values)[0]
    text = path.read_text()
    assert "import routh" not in text
    line = "import double_pendulum as d; print(d.rate(0, [0.1, 0.2, 0, 0]).shape); import sys; assert 'routh' not in sys.modules"
    done = subprocess.run(
        [sys.executable, "-c", line], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "(4,)"


@pytest.fixture(scope="module")
def jax():
    found = pytest.importorskip("jax")
    found.config.update("jax_enable_x64", True)
    found.config.update("jax_disable_most_optimizations", True)  # they take longer than what they save
    return found


class Compiled:
    """A module of JAX, compiled in two pieces."""

    def __init__(self, jax, module):
        self.rate = jax.jit(module.rate)
        self._all = jax.jit(
            lambda *at: {
                name: getattr(module, name)(*at) for name in ("matrices", "linear", "energies")
            }
        )

    def matrices(self, *at):
        return self._all(*at)["matrices"]

    def linear(self, *at):
        return self._all(*at)["linear"]

    def energies(self, *at):
        return self._all(*at)["energies"]


QUICK = ("moving_base",)


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]
)
def test_ten_systems_in_jax(name, tmp_path, jax):
    module = made(tmp_path, name, what="jax")
    model = Compiled(jax, module)
    hold_points(name, model)
    hold_motion(name, model, rtol=1e-8, close=1e-5)
    hold_linear(name, model)
    at = (*points(name)[0][:3], numbers(name))
    A, B = model.linear(*at)
    by_x, by_u = jax.jit(jax.jacfwd(module.rate, argnums=(1, 2)))(*at)
    np.testing.assert_allclose(A, by_x, rtol=1e-9, atol=1e-9 * np.abs(A).max())
    np.testing.assert_allclose(B, by_u, rtol=1e-9, atol=1e-9 * np.abs(B).max(initial=1))


@pytest.mark.slow
def test_jax_maps_and_differentiates_by_parameters(tmp_path, jax):
    module = made(tmp_path, "cartesian_pendulum", what="jax")
    p, rate, none = np.array(module.values()), jax.jit(module.rate), np.zeros(0)
    x = np.array([[0.9, -1.2, 0.8, 0.6], [-0.9, -1.2, 0.4, -0.3]])
    every = jax.jit(jax.vmap(module.rate, in_axes=(None, 0, None, None)))(0.0, x, none, p)
    for one, own in zip(every, x, strict=True):
        np.testing.assert_allclose(one, rate(0.0, own, none, p), rtol=1e-13, atol=1e-13)
    slope = jax.jit(jax.jacrev(module.rate, argnums=3))(0.0, x[0], none, p)
    h = 1e-6
    for k in range(3):
        step = h * np.eye(3)[k]
        rise = (rate(0.0, x[0], none, p + step) - rate(0.0, x[0], none, p - step)) / (2 * h)
        np.testing.assert_allclose(slope[:, k], rise, atol=1e-7)
    assert np.isnan(rate(0.0, np.zeros(4), none, p)[2:]).all()
    again = jax.jit(module.project)(0.0, x[0] + 1e-4, none, p)
    assert abs(jax.jit(module.held)(0.0, again, none, p)[0][0]) < 1e-7


@pytest.mark.parametrize("what", ["numpy", "jax"])
def test_the_same_words_in_python(tmp_path, what, request):
    compiled = request.getfixturevalue("jax").jit if what == "jax" else lambda function: function
    x = rt.coordinate("x")
    system = rt.System(kinetic=rt.ddt(x) ** 2 / 2, forces={x: every_word(x)})
    rate = compiled(read(rt.export(system, tmp_path / f"by_{what}.py", what=what)[0]).rate)
    for place in PLACES:
        expected = rt.dynamics(system, {}, {x: place}).a[0]
        assert rate(0.0, np.array([place, 0.0]))[1] == pytest.approx(expected, rel=1e-11)


def test_names_in_python(tmp_path):
    """`lambda`, Greek letters and words of the module itself are mapped, and parameters called so."""
    q = rt.coordinate("np")
    lam, values, omega = rt.parameters("lambda values Ω")
    system = rt.System(kinetic=lam * rt.ddt(q) ** 2 / 2, potential=values * omega * q**2 / 2)
    module = read(
        rt.export(system, tmp_path / "names.py", values={"lambda": 2, "values": 3, "Ω": 4})[0]
    )
    assert module.PARAMETERS == {"lambda_": 2.0, "values_": 3.0, "Omega": 4.0}
    assert module.rate(0, [0.5, 0], (), module.values(lambda_=1.0))[1] == -6.0
    assert "lambda, here lambda_ = 2.0" in (tmp_path / "names.py").read_text()
