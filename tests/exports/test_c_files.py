"""C99: compiled without a warning, held to its own test program, to `simulate` and to `linearize`."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from rounds import (
    PLACES,
    every_word,
    given_subject,
    hold_linear,
    hold_motion,
    hold_points,
    numbers,
    points,
)

import routh as rt
from routh import ddt
from routh.exports.subject import subject
from ten_systems import SOME, ten

COMPILER = shutil.which("gcc") or shutil.which("cc")
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
pytestmark = pytest.mark.skipif(COMPILER is None, reason="no compiler of C here")


class Compiled:
    """The functions of a library."""

    def __init__(self, path, prefix, given):
        self._library, self._prefix, own = ctypes.CDLL(str(path)), prefix, given.functions
        n, c, u = own.n, own.c, len(own.signals)
        held = [(n, c), (c, n), (c,)] if c else []
        self._shapes = {
            "rate": [(2 * n,)],
            "matrices": [(n, n), (n,), *held],
            "linear": [(2 * n, 2 * n), *([(2 * n, u)] if u else [])],
            "energies": [(len(own.energies),)],
        }
        self.code = 0

    def call(self, name, t, *arrays):
        kept = [np.ascontiguousarray(each, dtype=float) for each in arrays]
        pointers = [each.ctypes.data_as(ctypes.c_void_p) for each in kept]
        return getattr(self._library, f"{self._prefix}_{name}")(ctypes.c_double(t), *pointers), kept

    def _results(self, name, t, x, u, p):
        out = [np.empty(shape) for shape in self._shapes[name]]
        self.code, kept = self.call(name, t, x, u, p, *out)
        return kept[3:]

    def rate(self, *at):
        (found,) = self._results("rate", *at)
        assert self.code == 0
        return found

    def matrices(self, *at):
        return self._results("matrices", *at)

    def linear(self, *at):
        found = self._results("linear", *at)
        assert self.code == 0
        return found

    def energies(self, *at):
        return self._results("energies", *at)


def built(folder, name, *more):
    """The library and the test program of an export."""
    words = [COMPILER, *STRICT, *more, "-O0"]
    subprocess.run(
        [*words, f"{name}.c", f"{name}_test.c", "-lm", "-o", f"{name}_test"], cwd=folder, check=True
    )
    subprocess.run(
        [*words, "-fPIC", "-shared", f"{name}.c", "-lm", "-o", f"{name}.so"], cwd=folder, check=True
    )
    return folder / f"{name}.so"


@pytest.mark.parametrize("name", SOME)
def test_ten_systems_in_c(name, tmp_path):
    given = ten(name)
    rt.export(given.system, tmp_path / f"{name}.c", values=given.values)
    model = Compiled(built(tmp_path, name), name, given_subject(name))
    done = subprocess.run([f"./{name}_test"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "well" in done.stdout
    hold_points(name, model)
    hold_motion(name, model)
    hold_linear(name, model)
    defaults = (ctypes.c_double * len(numbers(name))).in_dll(model._library, f"{name}_defaults")
    np.testing.assert_array_equal(np.array(defaults), numbers(name))


def test_the_test_program_finds_a_changed_sign(tmp_path):
    given = ten("cart_pole")
    path = rt.export(given.system, tmp_path / "pole.c", values=given.values)[0]
    path.write_text(path.read_text().replace("= cos(theta)", "= -cos(theta)"))
    built(tmp_path, "pole")
    done = subprocess.run(["./pole_test"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "wrong" in done.stdout


@pytest.mark.parametrize("name", ["cartesian_pendulum", "rolling_disc", "kite"])
def test_a_state_is_projected_onto_the_constraints(name, tmp_path):
    """Newton's steps: what is off by 1e-3 is held to rounding after four of them."""
    given = ten(name)
    rt.export(given.system, tmp_path / f"{name}.c", values=given.values)
    model = Compiled(built(tmp_path, name), name, given_subject(name))
    t, x, u, *_ = points(name)[0]
    system = given.system
    start = [given.start.get(str(s), 0.0) for s in (*system.coordinates, *system.velocities)]
    x = np.array(start) + 1e-3 * x
    for _ in range(4):
        code, (x, *_) = model.call("project", t, x, u, numbers(name))
        assert code == 0
    own = given_subject(name).functions
    for each in own.values("held", t=t, x=x, u=u, p=numbers(name)):
        assert np.abs(each).max(initial=0) < 1e-11


def test_singular_equations_are_told(tmp_path):
    """Where a constraint has no slope: 1, and no number that looks right."""
    x, y = rt.coordinates("x y")
    system = rt.System(kinetic=(rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2, constraints=[x**2 + y**2 - 1])
    rt.export(system, tmp_path / "hoop.c")
    library = ctypes.CDLL(str(built(tmp_path, "hoop")))
    state, out = np.zeros(4), np.zeros(4)
    pointers = [each.ctypes.data_as(ctypes.c_void_p) for each in (state, state, state, out)]
    assert library.hoop_rate(ctypes.c_double(0.0), *pointers) == 1


def test_every_word_of_steps_is_the_same_in_c(tmp_path):
    """Functions that energies may contain, in a force, against CasADi."""
    x = rt.coordinate("x")
    system = rt.System(kinetic=rt.ddt(x) ** 2 / 2, forces={x: every_word(x)})
    rt.export(system, tmp_path / "words.c")
    library = ctypes.CDLL(str(built(tmp_path, "words")))
    for place in PLACES:
        expected = rt.dynamics(system, {}, {x: place}).a[0]
        state, out = np.array([place, 0.0]), np.zeros(2)
        pointers = [each.ctypes.data_as(ctypes.c_void_p) for each in (state, state, state, out)]
        assert library.words_rate(ctypes.c_double(0.0), *pointers) == 0
        assert out[1] == pytest.approx(expected, rel=1e-12)


def test_names_are_mapped_and_listed(tmp_path):
    """Greek letters, primes, words of C, clashes between a rate and a parameter, and words of files."""
    q, own = rt.coordinates("θ w1")
    double, dot, state, near, e = rt.parameters("double θ_dot state linux é")
    system = rt.System(
        kinetic=double * rt.ddt(q) ** 2 / 2 + near * rt.ddt(own) ** 2 / 2,
        potential=dot * q**2 / 2 + state * own**2 + e * own * q,
        name="names */ of ??/ all",
    )
    values = {"double": 2.0, "θ_dot": 3.0, "state": 4.0, "linux": 5.0, "é": 0.5}
    paths = rt.export(system, tmp_path / "names.c", values=values)
    head = paths[1].read_text()
    for line in ("θ, here theta", "θ', here theta_dot", "w1, here w1_", "θ_dot, here theta_dot_2", "double, here double_",
                 "state, here state_", "linux, here linux_", "é, here e"):  # fmt: skip
        assert line in head
    model = Compiled(built(tmp_path, "names"), "names", subject(system, values, None, "export"))
    at = (
        0.0,
        np.array([0.3, 0.4, 0.5, 0.6]),
        np.zeros(0),
        np.array([values[p.name] for p in system.parameters]),
    )
    expected = rt.dynamics(system, values, at[1][:2], at[1][2:]).a
    np.testing.assert_allclose(model.rate(*at)[2:], expected, rtol=1e-14)


def test_parameters_without_a_number_are_said_to_be_so(tmp_path):
    x, k = rt.coordinate("x"), rt.parameter("k")
    spring = rt.System(kinetic=rt.ddt(x) ** 2 / 2, potential=k * x**2 / 2, name="spring")
    paths = rt.export(spring, tmp_path / "spring.c")
    assert "k (no number was given)" in paths[1].read_text()
    assert "spring_defaults[1] = {NAN}" in paths[0].read_text()
    built(tmp_path, "spring")
    assert (
        subprocess.run(["./spring_test"], cwd=tmp_path, capture_output=True, check=False).returncode
        == 0
    )


def test_events_go_along(tmp_path):
    """What is watched is compared by the test program, multipliers among it; jumps are those declared."""
    x, y = rt.coordinate("x"), rt.coordinate("y")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=9.81 * y,
        constraints=[x**2 + y**2 - 1],
        name="hits",
    )
    events = [
        rt.event(system.multipliers[0], stop=True, name="slack"),
        rt.event(x, direction=-1, change={ddt(x): -0.5 * ddt(x), ddt(y): ddt(x) - ddt(y)}, name="hit"),
    ]
    paths = rt.export(system, tmp_path / "hits.c", events=events)
    assert "1  hit: x, falling; x' becomes -0.5*x'; y' becomes x' - y'" in paths[0].read_text()
    (tmp_path / "jump.c").write_text(
        """#include <stdio.h>
#include "hits.h"
int main(void)
{
    double state[4] = {0.0, -1.0, 2.0, 3.0}, watched[hits_event_count];
    if (hits_jump(1, 0.0, state, NULL, NULL) || hits_events(0.0, state, NULL, NULL, watched)) return 1;
    printf("%g %g %d %d %.12g", state[2], state[3], hits_event_directions[1], hits_event_stops[0], watched[0]);
    return 0;
}
"""
    )
    for main in ("hits_test.c", "jump.c"):
        words = [COMPILER, *STRICT, main, "hits.c", "-lm"]
        subprocess.run(words, cwd=tmp_path, check=True)
        said = subprocess.run([tmp_path / "a.out"], capture_output=True, text=True, check=True).stdout
    found = [float(word) for word in said.split()]
    at = rt.dynamics(system, {}, [0.0, -1.0], [-1.0, -1.0])
    np.testing.assert_allclose(found, [-1.0, -1.0, -1, 1, at.multipliers[0]], rtol=1e-10)
