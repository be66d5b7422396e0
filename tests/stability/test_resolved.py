"""Verdicts on discretized fields rest on what stays with the functions, against exact solutions."""

from functools import cache

import numpy as np
import pytest

import routh as rt
from routh import Verdict, at, ddt, diff, integral
from routh.analysis.stability.comparison import comparison
from routh.results import Reason

s = rt.space("s", 0, 1)
w = rt.field("w", s)
v, u, c = rt.parameters("v u c")
STRING = rt.System(
    lagrangian=integral((ddt(w) + v * diff(w, s)) ** 2 / 2 - diff(w, s) ** 2 / 2, s),
    constraints=[at(w, s, 0), at(w, s, 1)],
)
_b = 0.5**0.5
_tip, _slope = at(w, s, 1), at(diff(w, s), s, 1)
PIPE = rt.System(
    lagrangian=integral(
        ddt(w) ** 2 / 2
        + _b * u * ddt(w) * diff(w, s)
        + u**2 * diff(w, s) ** 2 / 2
        - diff(w, s, 2) ** 2 / 2,
        s,
    ),
    forces={_tip: -_b * u * ddt(_tip) - u**2 * _slope},
    constraints=[at(w, s, 0), at(diff(w, s), s, 0)],
)
BECK = rt.System(
    lagrangian=integral(ddt(w) ** 2 / 2 + u * diff(w, s) ** 2 / 2 - diff(w, s, 2) ** 2 / 2, s),
    forces={_tip: -u * _slope},
    constraints=[at(w, s, 0), at(diff(w, s), s, 0)],
)
BECK_LOAD = 20.0509
"""Where Beck's column begins to flutter (Beck 1952)."""


@cache
def _discretized(system, size):
    """Made once for all values: what is compiled for it is kept with it."""
    return rt.discretize(system, {w: size})


def _linear(system, size, values):
    return rt.linearize(rt.equilibrium(_discretized(system, size), values))


@pytest.mark.parametrize("size", [10, 20, 30, rt.Elements(20), rt.Elements(40)], ids=str)
@pytest.mark.parametrize("speed", [1.1])
def test_a_string_that_moves_faster_than_its_waves_is_stable(size, speed):
    """s = +-i n pi (1 - v^2) exactly; every size has eigenvalues that grow, and they are artefacts."""
    linear = _linear(STRING, size, {"v": speed})
    assert (rt.modes(linear).eigenvalues.real > 1).any()
    found = rt.stability(linear)
    assert found.verdict is Verdict.STABLE
    assert not found.nonlinear
    judged = found.eigenvalues[~np.isnan(found.eigenvalues.real)]
    n = np.arange(1, len(judged) // 2 + 1)
    exact = n * np.pi * (speed**2 - 1)
    np.testing.assert_allclose(np.sort(judged.imag[judged.imag > 0]), exact, rtol=0.05)
    assert "moves on" in str(found)


@pytest.mark.parametrize("size", [8, 14, rt.Elements(10), rt.Elements(40)], ids=str)
def test_a_pipe_that_flutters_is_unstable_whatever_is_listed(size):
    linear = _linear(PIPE, size, {"u": 10.0})
    for found in (rt.stability(linear), rt.modes(linear, count=1).stability):
        assert found.reason is Reason.FLUTTER
        assert abs(found.dominant - (3.8344 + 28.5537j)) < 0.06  # 30 polynomials
    assert rt.modes(linear, count=1).eigenvalues.real.max() < 0


def test_convergence_of_what_is_listed_does_not_hide_the_others():
    linear = _linear(PIPE, 10, {"u": 10.0})
    assert rt.modes(linear, count=1, converged=1e-8).stability.reason is Reason.FLUTTER


def test_the_number_in_a_verdict_is_that_of_all_modes():
    x, y = rt.coordinates("x y")
    saddle = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=x**2 / 2 - 50 * y**2)
    found = rt.modes(rt.linearize(rt.equilibrium(saddle, {})), count=1)
    np.testing.assert_allclose(found.frequencies, [1.0])
    np.testing.assert_allclose(found.stability.growth, 10.0)


@pytest.mark.parametrize("size", [4, 6, 12, rt.Elements(3), rt.Elements(10)], ids=str)
def test_becks_column_is_judged_rightly_or_not_at_all(size):
    sure = 0
    for share in (0.5, 0.9, 0.99, 1.01, 1.05, 1.3):
        verdict = rt.stability(_linear(BECK, size, {"u": share * BECK_LOAD})).verdict
        right = Verdict.STABLE if share < 1 else Verdict.UNSTABLE
        assert verdict in (right, Verdict.UNDECIDED)
        sure += verdict is right
    assert sure >= 4


FAMILIES = {
    "pipe": (PIPE, {"u": (2.0, 16.0)}),
    "beck": (BECK, {"u": (5.0, 40.0)}),
    "string": (STRING, {"v": (0.5, 4.0)}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_sizes_never_contradict_each_other(name):
    """Few functions may leave a verdict open; they do not give another one than many do."""
    _compare_sizes(name, draws=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_sizes_never_contradict_each_other_widely(name):
    _compare_sizes(name, draws=60)


def _compare_sizes(name, draws):
    system, ranges = FAMILIES[name]
    generator = np.random.default_rng(1831)
    for _ in range(draws):
        values = {key: generator.uniform(*ends) for key, ends in ranges.items()}
        found = {
            str(size): rt.stability(_linear(system, size, values)).verdict
            for size in (4, 6, 9, 14, 24, rt.Elements(5), rt.Elements(16))
        }
        verdicts = set(found.values())
        held = verdicts & {Verdict.STABLE, Verdict.ASYMPTOTICALLY_STABLE}
        assert not (held and Verdict.UNSTABLE in verdicts), (values, found)
        if name == "string":  # stable at every speed, and hard to resolve at high ones
            assert Verdict.UNSTABLE not in verdicts, (values, found)
        else:
            assert found["24"] is not Verdict.UNDECIDED, (values, found)


def test_growth_that_few_functions_show_is_not_settled():
    found = rt.stability(_linear(PIPE, 4, {"u": 10.0}))
    assert found.reason is Reason.UNRESOLVED
    assert "discretize with more" in str(found)


@pytest.mark.parametrize("size", [6, 14, rt.Elements(10), rt.Elements(60)], ids=str)
def test_rates_are_those_of_modes_that_stay(size):
    """Modes at the edge of the elements decay ever more slowly: -3.7 with 10, -0.1 with 60 of them."""
    found = rt.stability(_linear(PIPE, size, {"u": 5.0}))
    assert found.verdict is Verdict.ASYMPTOTICALLY_STABLE
    np.testing.assert_allclose(found.growth, -5.31545, rtol=1e-4)


@pytest.mark.parametrize("size", [10, 30, 50, 80], ids=str)
def test_damping_that_reaches_the_modes_does_so_at_every_size(size):
    EI, k = rt.parameters("EI k")
    beam = rt.System(
        kinetic=integral(ddt(w) ** 2 / 2, s),
        potential=integral(EI / 2 * diff(w, s, 2) ** 2, s)
        + k / 2 * (at(w, s, 0) ** 2 + at(w, s, 1) ** 2),
        dissipation=c / 2 * ddt(at(w, s, 1)) ** 2,
    )
    found = rt.stability(_linear(beam, size, {"EI": 100.0, "k": 1.0, "c": 0.1}))
    assert found.verdict is Verdict.ASYMPTOTICALLY_STABLE


def test_a_damper_at_a_node_leaves_a_mode_undamped_at_every_size():
    """The middle of a hinged beam is a node of every second mode."""
    left, right = rt.space("a", 0, 0.5), rt.space("b", 0.5, 1)
    y, z = rt.field("y", left), rt.field("z", right)
    beam = rt.System(
        kinetic=integral(ddt(y) ** 2 / 2, left) + integral(ddt(z) ** 2 / 2, right),
        potential=integral(diff(y, left, 2) ** 2 / 2, left)
        + integral(diff(z, right, 2) ** 2 / 2, right),
        dissipation=c / 2 * ddt(at(y, left, 0.5)) ** 2,
        constraints=[
            at(y, left, 0),
            at(z, right, 1),
            at(y, left, 0.5) - at(z, right, 0.5),
            at(diff(y, left), left, 0.5) - at(diff(z, right), right, 0.5),
        ],
    )
    for size in (8, 14, rt.Elements(8)):
        rest = rt.equilibrium(rt.discretize(beam, {y: size, z: size}), {"c": 0.3})
        assert rt.stability(rt.linearize(rest)).reason is Reason.PARTIAL_DAMPING


def test_a_batch_is_judged_like_its_points():
    speeds = np.array([0.5, 1.1, 1.5])
    batch = rt.stability(_linear(STRING, 12, {"v": speeds}))
    for k, speed in enumerate(speeds):
        one = rt.stability(_linear(STRING, 12, {"v": speed}))
        assert (one.reason, str(one.sentence)) == (batch.reason[k], str(batch.sentence[k]))


def test_given_functions_are_not_compared():
    linear = _linear(BECK, (s**2, s**3), {"u": 5.0})
    assert comparison(linear) is None
    assert rt.stability(linear).verdict is Verdict.STABLE


@pytest.mark.parametrize("size", [6, 12, rt.Elements(12), rt.Elements(130), rt.Elements(300)], ids=str)
def test_modes_that_are_marked_converged_are(size):
    """A hinged beam: (n pi)^2; what is marked may be better than that, what is not must be so."""
    beam = rt.System(
        kinetic=integral(ddt(w) ** 2 / 2, s),
        potential=integral(diff(w, s, 2) ** 2 / 2, s),
        constraints=[at(w, s, 0), at(w, s, 1)],
    )
    found = rt.modes(_linear(beam, size, {}), count=None if size != rt.Elements(300) else 10)
    exact = (np.pi * np.arange(1, len(found.frequencies) + 1)) ** 2
    error = np.abs(found.frequencies / exact - 1)
    known = found.converged
    assert (error[known] < 1.2e-3).all()
    assert known[0]
    assert not known[error > 2e-3].any()
    for k, line in enumerate(str(found).splitlines()[1:]):
        assert ("not converged" in line) == (not known[k])


def test_discrete_systems_have_nothing_to_converge():
    x = rt.coordinate("x")
    found = rt.modes(
        rt.linearize(rt.equilibrium(rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2), {}))
    )
    assert found.converged is None
    assert "converged" not in str(found)


def test_pictures_are_scaled_by_what_is_converged():
    found = rt.modes(_linear(STRING, 10, {"v": 1.1}))
    axes = rt.plot(found)
    assert axes.get_ylim()[1] < 2.0  # the two that are converged are 0.66 and 1.32
    (told,) = (text.get_text() for text in axes.get_legend().get_texts())
    assert told == "not converged, 16 of 16 outside"


def test_tables_tell_what_is_not_converged():
    from rich.console import Console

    from routh.display.terminal import modes_table

    console = Console(width=600)
    with console.capture() as caught:
        console.print(modes_table(rt.modes(_linear(STRING, 10, {"v": 1.1}), count=3)))
    rows = caught.get().splitlines()
    assert [("yes" in row, "no " in row) for row in rows[1:]] == [
        (True, False),
        (True, False),
        (False, True),
    ]
