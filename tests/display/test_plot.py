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
from routh.display.colours import REGIONS


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
    axes = rt.plot(branch, shown=rt.cos(p.theta))
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


def test_frequencies_over_what_is_no_speed_have_no_unit_that_nobody_gave():
    x, k = rt.coordinate("x"), rt.parameter("k")
    spring = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2, name="spring")
    modes = rt.modes(rt.linearize(rt.equilibrium(spring, {"k": np.array([1.0, 4.0, 9.0])})))
    axes = rt.plot(modes, against=k)
    assert axes.get_title(loc="left") == "Frequencies of spring"
    assert axes.get_xlabel() == "$k$"
    assert "critical speed" not in words(axes)


@pytest.mark.parametrize("unit", [None, "rad/s"])
def test_what_turns_as_an_angle_in_time_is_a_speed(unit):
    x, Omega = rt.coordinate("x"), rt.parameter("Omega", unit=unit)
    r = rt.rotation(Omega * rt.t) @ rt.vector(x, 0)
    arm = rt.System(kinetic=rt.norm2(ddt(r)) / 2, potential=8 * x**2, name="arm")
    modes = rt.modes(rt.linearize(rt.equilibrium(arm, {"Omega": np.linspace(0, 3, 7)})))
    axes = rt.plot(modes, against=Omega)
    assert axes.get_title(loc="left") == "Campbell diagram of arm"
    assert axes.get_xlabel() == r"$\Omega$ in rad/s"
    assert "critical speed" in words(axes)


def test_revolutions_are_for_speeds():
    x, k = rt.coordinate("x"), rt.parameter("k", unit="N/m")
    spring = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2)
    modes = rt.modes(rt.linearize(rt.equilibrium(spring, {"k": np.array([1.0, 4.0, 9.0])})))
    assert rt.plot(modes, against=k).get_xlabel() == "$k$ in N/m"
    with pytest.raises(
        rt.DeclarationError, match=r"`rpm` is for a speed in rad/s. `k` has the unit N/m"
    ):
        rt.plot(modes, against=k, rpm=True)


def test_an_output_that_does_not_answer_is_named_and_not_drawn():
    x, y, u = *rt.coordinates("x y"), rt.input("u")
    apart = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=x**2 + y**2, forces={x: u})
    linear = rt.linearize(rt.equilibrium(apart, {}))
    for outputs, shown in (([x, y], 1), ([y], 0)):
        axes = rt.plot(rt.frequency_response(linear, u, outputs, [0.5, 1.0]))
        assert "$y$, does not answer" in words(axes)
        assert sum(len(line.get_xdata()) > 0 for line in axes.lines) == shown


def test_a_bode_plot_of_an_unstable_rest_says_so_and_has_its_legend_beneath():
    x, u, k = rt.coordinate("x"), rt.input("u"), rt.parameter("k")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2, forces={x: u})
    for stiffness, said in ((-4.0, True), (4.0, False)):
        linear = rt.linearize(rt.equilibrium(system, {"k": stiffness}))
        axes = rt.plot(rt.frequency_response(linear, u, [x, ddt(x)], [0.5, 1.0, 4.0]))
        assert ("about an unstable equilibrium, formal" in axes.get_title(loc="left")) is said
        axes.figure.draw_without_rendering()
        below = axes.get_legend().get_window_extent().y1
        assert below < axes.get_window_extent().y0
        dotted = [line for line in axes.lines if line.get_linestyle() == ":"]
        assert [line.get_xdata()[0] for line in dotted] == pytest.approx([] if said else [2.0])
        plt.close(axes.figure)


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
    (right,) = [other for other in axes.figure.axes if other is not axes]  # angles apart from lengths
    np.testing.assert_allclose(lines(right)[0], np.column_stack([motion.t, motion.q[:, 0]]))
    assert (axes.get_ylabel(), right.get_ylabel()) == ("$x$", r"$\theta$ in rad")
    cart = system.changed(
        potential=-9.81 * rt.cos(theta)
    )  # x may be anywhere, and is no angle for that
    free = rt.plot(rt.simulate(cart, {}, {theta: 1.0}, [0, 0.1, 0.2]))
    assert [each.get_ylabel() for each in free.figure.axes] == ["$x$", r"$\theta$ in rad"]
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
            "`shown` is an expression or a list of them for motions",
        ),
    ):
        with pytest.raises(rt.DeclarationError, match=sentence):
            make()


def arm():
    L, rho, EI = rt.parameters("L rho EI")
    s = rt.space("s", 0, L)
    w = rt.field("w", s)
    T, V = rt.energies.euler_bernoulli(w, rho, EI)
    clamped = [rt.at(w, s, 0), rt.at(rt.diff(w, s), s, 0)]
    beam = rt.System(kinetic=T, potential=V, forces={w: -1}, constraints=clamped, name="arm")
    return rt.discretize(beam, {w: 5}), {"L": 2, "rho": 1, "EI": 3}, s, w


def test_shapes_at_rest_along_the_space_and_in_the_plane(tmp_path):
    system, values, _, w = arm()
    rest = rt.equilibrium(system, values)
    axes = rt.plot(rest, shown=w)
    (drawn,) = lines(axes)
    assert drawn[0].tolist() == [0, 0]
    assert drawn[-1] == pytest.approx([2, -(2**4) / (8 * 3)])  # -q L^4 / (8 EI)
    assert axes.get_xlabel() == "$s$"
    assert axes.get_ylabel() == "$w$"
    assert written(axes, tmp_path)


def test_mode_shapes_of_bodies(tmp_path):
    system, values, s, w = arm()
    modes = rt.modes(rt.linearize(rt.equilibrium(system, values)))
    axes = rt.plot(modes, shown=[rt.vector(s, w), rt.vector(0, 0)])
    assert words(axes)[0] == "at rest"
    assert words(axes)[1] == f"{modes.frequencies[0]:.4g} rad/s"
    drawn = lines(axes)
    still, first = drawn[0], drawn[2]
    moved = np.abs(first - still).max()
    assert moved == pytest.approx(0.15 * 2, rel=1e-3)  # a share of the size
    shape = modes.field(w, 0, first[[20, -1], 0])
    off = (first - still)[[20, -1], 1]
    assert off[0] / off[1] == pytest.approx(shape[0] / shape[1], rel=1e-9)
    assert written(axes, tmp_path)
    three = rt.plot(modes, shown=rt.vector(s, 0, w))
    assert three.name == "3d"


def test_snapshots_and_films_of_a_body(tmp_path):
    system, values, s, w = arm()
    motion = rt.simulate(system, values, {}, np.linspace(0, 1, 41))
    r = rt.vector(s, w)
    axes = rt.plot(motion, shown=r)
    assert len(axes.lines) == 9
    assert words(axes)[-1] == "t = 1"
    np.testing.assert_allclose(lines(axes)[-1][-1, 1], motion[rt.at(w, s, s.bounds[1])][-1])
    shown = rt.animate(motion, lines=[[rt.vector(-1, 0), r]], points={"tip": rt.at(r, s, s.bounds[1])})
    assert len(shown.lines[0]) > 20
    np.testing.assert_allclose(shown.lines[0][-1], shown.points["tip"])
    shown.save(tmp_path / "arm.html")
    with pytest.raises(rt.DeclarationError, match="must not vary along a space"):
        rt.animate(motion, points=[r])


def test_bodies_that_cannot_be_drawn():
    system, values, s, w = arm()
    rest = rt.equilibrium(system, values)
    with pytest.raises(rt.DeclarationError, match="different pictures"):
        rt.plot(rest, shown=[w, rt.vector(s, w)])
    with pytest.raises(rt.DeclarationError, match="`against` and `rpm` do not go"):
        rt.plot(rt.modes(rt.linearize(rest)), shown=w, against="EI")
    batch = rt.equilibrium(system, values | {"EI": np.array([1.0, 2.0])})
    with pytest.raises(rt.DeclarationError, match=r"choose one with rest.single\(k\)"):
        rt.plot(batch, shown=w)


@pytest.mark.slow
def test_campbell_diagrams_of_fields_show_the_lowest_modes():
    Omega, L = rt.parameters("Omega L")
    s = rt.space("s", 0, L)
    w = rt.field("w", s)
    r = rt.rotation(Omega * rt.t) @ rt.vector(s + rt.energies.foreshortening(w), w)
    beam = rt.System(
        kinetic=rt.integral(rt.norm2(ddt(r)) / 2, s),
        potential=rt.integral(rt.diff(w, s, 2) ** 2 / 2, s),
        constraints=[rt.at(w, s, 0), rt.at(rt.diff(w, s), s, 0)],
    )
    speeds = np.linspace(0, 5, 3)
    rest = rt.equilibrium(rt.discretize(beam, {w: 16}), {"L": 1, "Omega": speeds})
    axes = rt.plot(rt.modes(rt.linearize(rest)), against=Omega)
    assert "mode 6" in words(axes)
    assert "mode 7" not in words(axes)
    assert axes.lines[0].get_ydata()[0] == pytest.approx(1.875104068711961**2, rel=1e-9)
