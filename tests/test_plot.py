"""Pictures: what is drawn is what was computed, and what cannot be drawn is said."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

import problems
import routh as rt
from routh import ddt
from routh.display.style import REGIONS


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def lines(axes):
    return [np.column_stack(line.get_data()) for line in axes.lines]


def words(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def written(axes, tmp_path):
    """Whether the picture can be drawn into a file."""
    path = tmp_path / "picture.png"
    axes.figure.savefig(path)
    return path.stat().st_size > 5000


def test_bifurcation_diagram(tmp_path):
    p = problems.bead_on_hoop()
    straight = rt.follow(rt.equilibrium(p.system, p.values), "omega", 6)
    tilted = straight.switch(straight.points[0])
    axes = rt.plot([straight, tilted])
    assert words(axes) == ["stable", "unstable", "branch point"]
    assert axes.get_xlabel() == r"$\omega$"
    assert axes.get_ylabel() == r"$\theta$"
    drawn = np.concatenate(lines(axes))
    assert drawn[:, 0].min() == pytest.approx(0.5)
    assert drawn[:, 1].max() == pytest.approx(tilted.q.max())
    styles = {line.get_linestyle() for line in axes.lines}
    assert {"-", "--"} <= styles
    assert written(axes, tmp_path)


def test_bifurcation_diagram_of_an_expression():
    p = problems.bead_on_hoop()
    branch = rt.follow(rt.equilibrium(p.system, p.values), "omega", 6)
    axes = rt.plot(branch, against=rt.cos(p.theta))
    np.testing.assert_allclose(np.concatenate(lines(axes))[:, 1], 1)


def test_campbell_diagram(tmp_path):
    p = problems.overhung_rotor()
    Omega = np.linspace(0.1, 60, 40)
    modes = rt.modes(rt.linearize(rt.equilibrium(p.system, p.values | {"Omega": Omega})))
    axes = rt.plot(modes, against="Omega")
    assert [w for w in words(axes) if w.startswith("mode")] == [f"mode {k}" for k in (1, 2, 3, 4)]
    assert "critical speed" in words(axes)
    critical = lines(axes)[-1]
    np.testing.assert_allclose(critical[:, 0], modes.critical_speeds("Omega"))
    assert "rad/s" in axes.get_xlabel()
    assert written(axes, tmp_path)
    turns = rt.plot(modes, against="Omega", rpm=True)
    np.testing.assert_allclose(lines(turns)[-1][:, 0], critical[:, 0] * 60 / (2 * np.pi))
    np.testing.assert_allclose(lines(turns)[-1][:, 1], critical[:, 0] / (2 * np.pi))
    assert "rpm" in turns.get_xlabel()
    assert "Hz" in turns.get_ylabel()


def test_root_locus(tmp_path):
    p = problems.ziegler(damped=True)
    P = np.linspace(0, 3, 61)
    modes = rt.modes(rt.linearize(rt.equilibrium(p.system, p.values | {"P": P})))
    axes = rt.plot(modes)
    (dots,) = axes.collections
    assert len(dots.get_offsets()) == 61 * 4
    np.testing.assert_allclose(np.unique(dots.get_array()), P)
    assert axes.figure.axes[1].get_ylabel() == "$P$"
    assert written(axes, tmp_path)
    single = rt.plot(rt.modes(rt.linearize(rt.equilibrium(p.system, p.values))))
    assert len(lines(single)[-1]) == 4


def test_stability_map(tmp_path):
    p = problems.rotating_table()
    plane = p.values | {"c1": 0, "Omega": np.linspace(0, 8, 17), "k1": np.linspace(1, 20, 9)}
    found = rt.stability_map(p.system, plane)
    axes = rt.plot(found)
    assert set(words(axes)) == {str(region) for region in set(found.region.flat)}
    assert {"stable", "divergence"} <= set(words(axes))
    assert axes.get_xlabel() == r"$\Omega$"
    assert axes.get_ylabel() == "$k_{1}$"
    assert len(set(REGIONS.values())) == len(REGIONS)
    assert written(axes, tmp_path)


def test_landscapes_with_their_equilibria(tmp_path):
    p = problems.coupled_pendulums()
    found = rt.equilibria(p.system, p.values)
    axes = rt.plot(found)
    assert words(axes) == ["stable", "unstable"]
    np.testing.assert_allclose(np.concatenate(lines(axes)), found.q, atol=1e-12)
    assert written(axes, tmp_path)
    q = problems.bead_on_hoop()
    one = rt.equilibria(q.system, q.values | {"omega": 4.0})
    axes = rt.plot(one)
    curve, *points = lines(axes)
    for (theta, height), place in zip(np.concatenate(points), one.q[:, 0], strict=True):
        assert theta == pytest.approx(place)
        assert height == pytest.approx(np.interp(place, *curve.T), abs=0.01)
    assert written(axes, tmp_path)


def test_axes_can_be_given():
    _, axes = plt.subplots()
    p = problems.bead_on_hoop()
    assert rt.plot(rt.equilibria(p.system, p.values), axes=axes) is axes


def test_what_cannot_be_drawn_is_said():
    p = problems.pendulum_chain(3)
    with pytest.raises(rt.DeclarationError, match="A landscape is drawn over one or two coordinates"):
        rt.plot(rt.equilibria(p.system, p.values))
    with pytest.raises(rt.DeclarationError, match="plot draws Modes, a Branch"):
        rt.plot(p.system)
    with pytest.raises(rt.DeclarationError, match="plot draws Modes, a Branch"):
        rt.plot([])
    single = rt.modes(rt.linearize(rt.equilibrium(p.system, p.values)))
    with pytest.raises(rt.DeclarationError, match=r"`Omega` does not enter"):
        rt.plot(single, against="Omega")
    hoop = problems.bead_on_hoop()
    rest = rt.equilibrium(hoop.system, hoop.values)
    a, b = rt.follow(rest, "omega", 6), rt.follow(rest, "R", 6)
    with pytest.raises(rt.DeclarationError, match="branches of one system over the same parameter"):
        rt.plot([a, b])


def test_an_empty_list_has_no_landscape():
    x = rt.coordinate("x")
    slope = rt.System(kinetic=ddt(x) ** 2 / 2, potential=2 * x)
    with pytest.raises(rt.DeclarationError, match="no equilibrium in the box to draw"):
        rt.plot(rt.equilibria(slope, {}, within={x: (0, 1)}))


def test_motions_over_time_and_as_phase_portraits(tmp_path):
    theta, x = rt.coordinates("theta x")
    system = rt.System(
        kinetic=(ddt(theta) ** 2 + ddt(x) ** 2) / 2,
        potential=-9.81 * rt.cos(theta) + 2 * x**2,
        name="pair",
    )
    motion = rt.simulate(system, {}, {theta: 1.0, x: 0.5}, np.linspace(0, 3, 61))
    axes = rt.plot(motion)
    assert words(axes) == [r"$\theta$", "$x$"]
    np.testing.assert_allclose(lines(axes)[1], np.column_stack([motion.t, motion.q[:, 1]]))
    assert axes.get_title(loc="left") == "Motion of pair"
    assert written(axes, tmp_path)
    portrait = rt.plot(motion, against=theta)
    curve, start = lines(portrait)
    np.testing.assert_allclose(curve, np.column_stack([motion.q[:, 0], motion.v[:, 0]]))
    np.testing.assert_allclose(start, [[1.0, 0.0]])
    assert portrait.get_ylabel() == r"$\dot{\theta}$"
    shown = rt.plot(motion, shown=rt.sin(theta), against="x")
    np.testing.assert_allclose(lines(shown)[0][:, 1], np.sin(motion.q[:, 0]), atol=1e-12)
    several = rt.simulate(system, {}, {theta: np.array([0.5, 1.0])}, np.linspace(0, 3, 61))
    assert len(lines(rt.plot(several, shown=theta))) == 2
    for make, sentence in (
        (lambda: rt.plot(motion, against=theta + x), "needs `shown`"),
        (lambda: rt.plot(motion, shown="thetta"), "Did you mean `theta`"),
        (
            lambda: rt.plot(rt.equilibria(system, {}, within={x: (-1, 1)}), shown=x),
            "`shown` is for motions",
        ),
    ):
        with pytest.raises(rt.DeclarationError, match=sentence):
            make()
