"""Functions written out as C: the digits of the engine, a shelf that may be broken, all cores."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import casadi
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import routh as rt
from depth import draws
from routh.kernels.engine import Engine, Unsupported
from routh.kernels.graphs.batch import Batched
from routh.kernels.native import shelf
from routh.kernels.native.choice import chosen, pays
from routh.kernels.native.compiler import compiler
from routh.kernels.native.crew import share
from routh.kernels.native.in_c import InC
from routh.kernels.native.program import Program
from routh.kernels.native.written import c_function, entry, runtime

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")


@pytest.fixture
def own_shelf(tmp_path, monkeypatch):
    """A shelf of this test alone, with nothing loaded."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(shelf, "_loaded", {})
    return tmp_path / "routh" / "native"


def square(number=2.0):
    """A small program: y = number * x * x."""
    body = f"y[AT(0, 1)] = {number} * x[AT(0, 1)] * x[AT(0, 1)];"
    return runtime() + entry("square", ["const double *x", "double *y"], body)


def squared(program, x):
    y = np.empty_like(x)
    program.run("square", len(x), [x, y])
    return y


UNARY = (
    "exp", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "floor", "ceil", "fabs", "sign",
    "sqrt", "log", "erf", "asin", "acosh", "log1p", "expm1",
)  # fmt: skip
BINARY = ("fmin", "fmax", "atan2", "plus", "minus", "times", "rdivide", "power", "lt", "le", "eq", "ne")


@settings(max_examples=draws(4, 40))
@given(seed=st.integers(0, 2**32 - 1))
def test_random_functions_have_the_digits_of_the_engine(seed):
    random = np.random.default_rng(seed)
    x, p = casadi.SX.sym("x", 3), casadi.SX.sym("p", 2)
    terms = [*casadi.vertsplit(x), *casadi.vertsplit(p), casadi.SX(0.1)]
    for _ in range(40):
        if random.random() < 0.4:
            terms.append(getattr(casadi, random.choice(UNARY))(terms[random.integers(len(terms))]))
        else:
            two = (terms[k] for k in random.integers(len(terms), size=2))
            terms.append(getattr(casadi, random.choice(BINARY))(*two))
    matrix = casadi.SX(3, 3)
    matrix[0, 1], matrix[2, 0] = terms[-1], terms[-2]
    function = casadi.Function("f", [x, p], [casadi.vertcat(*terms[-5:]), matrix])
    at = random.normal(size=(37, 3)), random.normal(size=(37, 2))
    for mine, theirs in zip(InC(function)(*at), Batched(function)(*at), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_long_functions_are_taken_in_parts_with_the_same_digits():
    x = casadi.SX.sym("x")
    sum_, one = x, x
    for k in range(1500):
        one = casadi.sin(one + k)
        sum_ = sum_ * 0.5 + one
    function = casadi.Function("f", [x], [sum_])
    assert "f_2(" in c_function(function, "f")
    at = np.linspace(0, 1, 100)[:, None]
    np.testing.assert_array_equal(InC(function)(at)[0], Batched(function)(at)[0])


def test_what_c_has_no_word_for_is_told_apart():
    x = casadi.MX.sym("x", 2)
    with pytest.raises(Unsupported, match="no function of scalars"):
        c_function(casadi.Function("f", [x], [casadi.solve(casadi.MX.eye(2), x)]), "f")


def pendulum():
    theta, (m, l) = rt.coordinate("theta"), rt.parameters("m l")
    T, V = m * l**2 * rt.ddt(theta) ** 2 / 2, -9.81 * m * l * rt.cos(theta)
    return rt.System(kinetic=T, potential=V)


@pytest.mark.parametrize("engine", ["c", "auto"])
def test_dynamics_is_the_same_by_every_engine(engine):
    values = {"m": 1.0, "l": np.linspace(1, 2, 7)}
    found = rt.dynamics(pendulum(), values, {"theta": 0.3}, engine=engine)
    plain = rt.dynamics(pendulum(), values, {"theta": 0.3}, engine="casadi")
    for name in ("M", "h", "Q", "a"):
        np.testing.assert_array_equal(getattr(found, name), getattr(plain, name))


def test_an_engine_that_is_none_is_told():
    with pytest.raises(
        rt.DeclarationError, match=r'"auto", "casadi", "c", "cuda". Got \'cud\'. Did you mean `cuda`'
    ):
        rt.dynamics(pendulum(), {"m": 1, "l": 1}, engine="cud")


def test_compiling_is_for_work_that_outlasts_it():
    assert not pays(100, 1000)
    assert not pays(10**6, 1e4)
    assert pays(100, 1e7)
    assert chosen(Engine.CASADI, 100, 1e12) is Engine.CASADI
    assert chosen(Engine.AUTO, 100, 1) is Engine.CASADI


def test_a_machine_without_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("routh.kernels.native.compiler.find_spec", lambda _: None)
    assert compiler() is None
    assert chosen(Engine.AUTO, 100, 1e12) is Engine.CASADI
    with pytest.raises(rt.DerivationError, match=r'needs a compiler of C: one of cc.*engine="casadi"'):
        rt.dynamics(pendulum(), {"m": 1, "l": 1}, engine="c")


def test_a_compiler_that_does_not_run_is_none(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("routh.kernels.native.compiler.find_spec", lambda _: None)
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    assert compiler() is None


def test_a_compiler_that_fails_says_what(own_shelf):
    with pytest.raises(rt.DerivationError, match=r"The compiler `.*` failed"):
        Program("this is no C").run("square", 1, [])


def test_a_library_is_made_once_and_found_again(own_shelf, monkeypatch):
    x = np.arange(5.0)
    np.testing.assert_array_equal(squared(Program(square()), x), 2 * x**2)
    (kept,) = own_shelf.glob("*.so")
    assert kept.stat().st_mode & 0o077 == 0 or kept.parent.stat().st_mode & 0o077 == 0
    monkeypatch.setattr(shelf, "_loaded", {})
    monkeypatch.setattr("routh.kernels.native.compiler.Compiler.make", None)  # would be called
    np.testing.assert_array_equal(squared(Program(square()), x), 2 * x**2)


@pytest.mark.parametrize("harm", [lambda b: b[:100], lambda b: b"", lambda b: b + b"x"])
def test_a_library_that_was_changed_is_made_anew(own_shelf, monkeypatch, harm):
    x = np.arange(5.0)
    found = shelf._key(square(3.0), compiler())
    made = compiler().make(square(5.0))  # another library under this name
    own_shelf.mkdir(parents=True, mode=0o700)
    (own_shelf / f"{found}-{'0' * 64}.so").write_bytes(harm(made))
    np.testing.assert_array_equal(squared(Program(square(3.0)), x), 3 * x**2)
    assert len(list(own_shelf.glob("*.so"))) == 1


def test_a_folder_that_others_may_write_to_is_not_used(own_shelf):
    own_shelf.mkdir(parents=True)
    own_shelf.chmod(0o777)
    x = np.arange(5.0)
    np.testing.assert_array_equal(squared(Program(square(7.0)), x), 7 * x**2)
    assert not list(own_shelf.iterdir())


def test_a_folder_that_cannot_be_made_is_no_harm(tmp_path, monkeypatch):
    monkeypatch.setattr(shelf, "_loaded", {})
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    x = np.arange(5.0)
    np.testing.assert_array_equal(squared(Program(square(9.0)), x), 9 * x**2)


def test_two_processes_may_compile_at_once(own_shelf):
    script = (
        "import numpy as np; from routh.kernels.native.program import Program; x = np.arange(5.0);"
        f"y = np.empty(5); Program({square(11.0)!r}).run('square', 5, [x, y]); print(y.tolist())"
    )
    two = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) for _ in range(2)]
    said = [each.communicate()[0].decode().strip() for each in two]
    assert said == [str((11 * np.arange(5.0) ** 2).tolist())] * 2
    assert all(shelf._is_whole(path) for path in own_shelf.glob("*.so"))


def test_few_libraries_are_kept(own_shelf, monkeypatch):
    monkeypatch.setattr(shelf, "MOST", 2)
    for number in (1.5, 2.5, 3.5):
        squared(Program(square(number)), np.arange(3.0))
    assert len(list(own_shelf.glob("*.so"))) == 2


def test_every_point_is_worked_on_once():
    done = np.zeros(1003, dtype=int)

    def work(begin, end, stop):
        done[begin:end] += 1

    share(len(done), work)
    assert (done == 1).all()
    share(0, work)


def test_an_error_in_one_part_ends_all():
    def work(begin, end, stop):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        share(100, work)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_ctrl_c_stops_a_batch():
    begun = threading.Event()

    def work(begin, end, stop):
        begun.set()
        while not stop.value:
            time.sleep(0.001)

    def interrupt():
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where in the background
    try:
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            share(100, work)
    finally:
        signal.signal(signal.SIGINT, before)
