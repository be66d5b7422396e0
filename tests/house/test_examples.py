"""Every example is imported and one number of it asserted; the tour is read as a person sees it."""

from __future__ import annotations

import doctest
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import solve_continuous_are

import routh as rt
from depth import partly_slow

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def turning_table(module):
    at_two = module.modes.eigenvalues[4][::2]
    expected = [-0.106957670918338 + 2.89577260810507j, -0.143042329081662 + 7.03714445307369j]
    np.testing.assert_allclose(at_two, expected, rtol=1e-12)
    verdicts = [str(v) for v in module.modes.stability.verdict]
    assert verdicts == ["stable"] + ["asymptotically stable"] * 8 + ["unstable"] * 4


def accelerated_pendulum(module):
    assert module.rest.q == pytest.approx([0.296778873080397], rel=1e-12)
    assert module.modes.frequencies**2 == pytest.approx([8.54872066452051], rel=1e-12)


def crane(module):
    assert module.modes.frequencies**2 == pytest.approx([0, 9.81 * 7 / 7.5], rel=1e-12)
    assert module.A.shape == (4, 4)
    assert module.loop.stability.verdict is rt.Verdict.ASYMPTOTICALLY_STABLE
    decay = np.exp(10 * module.loop.eigenvalues.real.max())
    assert abs(module.motion[module.load[0]][-1]) < 10 * decay  # 0.6 rad are within it
    assert abs(module.missed[-1]) < 10 * decay


def many_links(module):
    rope = 2.404825557695773 / 2 * 9.81**0.5
    assert module.modes.frequencies[0] == pytest.approx(rope, rel=1 / module.LINKS)


def trojan(module):
    np.testing.assert_allclose(module.rest.q[:, 1], np.sqrt(3) / 2, rtol=1e-12)
    np.testing.assert_allclose(module.rest.q[:, 0], 0.5 - module.ratios, rtol=1e-11)  # K is soft here
    names = [reason.name for reason in module.modes.stability.reason]
    assert names == ["GYROSCOPIC", "GYROSCOPIC", "GYROSCOPIC", "FLUTTER", "FLUTTER"]
    # s^4 + s^2 + 27/4 mu (1 - mu) = 0
    mu = module.ratios
    product = np.prod(module.modes.eigenvalues, axis=1)
    np.testing.assert_allclose(product, 27 / 4 * mu * (1 - mu), rtol=1e-10)


def coupled(module):
    assert len(module.every) == 6
    assert module.every.certificate.is_complete


def hoop(module):
    assert module.pitchfork.value == pytest.approx((9.81 / 1.2) ** 0.5, abs=1e-10)
    assert np.abs(module.tilted.q).max() > 1.3


def ziegler(module):
    values = [onset.value for onset in module.onsets]
    assert values == pytest.approx([3.5 - 2**0.5, 41 / 28], rel=1e-7)


def rotor(module):
    assert np.abs(module.critical - 20).min() < 1e-11


def top(module):
    assert abs(module.steady.q[0]) == pytest.approx(0.8101974942, rel=1e-9)


def bodies(module):
    assert len(module.every) == 5
    equilateral = np.ptp(module.sides, axis=1) < 1e-9
    np.testing.assert_allclose(module.sides[equilateral] ** 3, 6, rtol=1e-10)


def swinging(module):
    expected = [-0.568474664015950175, -0.526393727932404713]
    np.testing.assert_allclose(module.motion.q[-1], expected, atol=1e-6)


def monte_carlo(module):
    assert module.few.completed.all()
    at = [np.argmin(np.abs(module.times - t)) for t in (1, 2, 3, 6)]
    np.testing.assert_allclose(np.degrees(module.spread(module.few))[at[:3]], [1.0, 4.7, 35], rtol=0.35)
    assert module.gone_over(module.few)[at[3]] == pytest.approx(0.74, abs=4 * np.sqrt(0.74 * 0.26 / 60))


def million_points(module):
    # the first tongue begins at A = zeta l, but for the grid; elsewhere eigenvalues of a run by hand
    unstable = module.few.verdict == rt.Verdict.UNSTABLE
    first = module.amplitude[unstable].min()
    assert 0.01 < first <= 0.01 + 0.5 / 22
    for i, j in ((16, 4), (16, 0), (6, 20), (6, 10), (20, 12), (2, 15)):
        A, w = module.amplitude[i, j], module.speed[i, j]

        def rate(t, x, A=A, w=w):
            stiffness = 9.81 - A * w**2 * np.cos(w * t)
            return [x[1], -stiffness * x[0] - 0.02 * module.own * x[1]]

        ends = [
            solve_ivp(rate, (0, 2 * np.pi / w), start, method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
            for start in np.eye(2)
        ]
        largest = np.log(np.abs(np.linalg.eigvals(np.stack(ends, axis=1)))).max() * w / (2 * np.pi)
        assert module.few.growth[i, j] == pytest.approx(largest, abs=1e-7)


def unround(module):
    """The rows of the linear model by hand, and the region by the static determinant."""
    found, (m, c, d, epsilon) = module.small, module.values.values()
    W, k = np.meshgrid(found.Omega, found.k, indexing="ij")
    words = found.region.flag_meanings.split()
    said = np.array(words)[found.region.values + 1]
    across, up = k - m * W**2, k * (1 + epsilon) - m * W**2
    zero, one = np.zeros_like(W), np.ones_like(W)
    rows = [
        [zero, zero, one, zero],
        [zero, zero, zero, one],
        [-across / m, d * W / m, -(c + d) / m * one, 2 * W],
        [-d * W / m, -up / m, -2 * W, -(c + d) / m * one],
    ]
    by_hand = np.linalg.eigvals(np.moveaxis(np.array(rows), (0, 1), (-2, -1))).real.max(axis=-1)
    np.testing.assert_allclose(found.least_damping, -by_hand, atol=1e-8)
    sure = np.abs(by_hand) > 1e-6
    grows = np.isin(said, ["divergence", "flutter"])
    assert (grows == (by_hand > 0))[sure].all()
    falls = across * up + (d * W) ** 2 < 0
    assert falls.any()
    assert ((said == "divergence") == falls).all()
    beyond = W / ((1 + d / c) * np.sqrt(k / m))
    assert (said[beyond > 1.01] == "flutter").all()
    assert (said[(beyond < 0.99) & ~falls] == "asymptotically_stable").all()


def thread(module):
    assert module.motion.q[-1, 1] == pytest.approx(1.5 * 1.5 / 3, rel=1e-7)
    assert np.linalg.norm(module.tension[0]) == pytest.approx(4.5 * 2 * 9.81, rel=1e-9)


def disc(module):
    assert [str(v) for v in module.modes.stability.verdict] == [
        "unstable",
        "unstable",
        "stable",
        "stable",
    ]
    wobble = np.sqrt((12 * 4 / 0.25 - 4 * 9.81 / 0.5) / 5)
    assert module.modes.frequencies[-1].max() == pytest.approx(wobble, rel=1e-9)
    assert module.motion.completed


def heavy_top(module):
    published = [0.73294398, -0.27828572, 0.53182461, -0.32017614]
    np.testing.assert_allclose(module.motions["quaternion"].q[-1], published, atol=1e-7)
    for matrix in module.final.values():
        np.testing.assert_allclose(matrix, module.final["angles"], atol=1e-6)


def tour(module):
    assert module.values["g"] == 9.81


def hub_beam(module):
    exact = [0, 5.72035891239293, 19.9378009411611, 51.4088434964009]
    np.testing.assert_allclose(module.modes.frequencies, exact, rtol=1e-10)
    assert module.modes.accuracy < 1e-10
    assert module.motion[module.theta][-1] == pytest.approx(np.pi / 2, abs=0.01)


def rotating_beam(module):
    exact = [12.3623633683262, 12.5545232627268, 13.1174132493387, 16.59662746379, 25.492147292]
    np.testing.assert_allclose(module.modes.frequencies[:, 0] ** 2, exact, rtol=1e-9)
    verdicts = [str(v) for v in module.wrong.stability.verdict]
    assert verdicts == ["stable"] * 3 + ["unstable"] * 2


def buckled_column(module):
    assert module.buckled.value == pytest.approx(np.pi**2 / 4, rel=1e-10)
    assert len(module.bent) > 20
    np.testing.assert_allclose(module.bent.at, module.exact, rtol=1e-10)
    assert module.angle.max() > 2.3


def hamilton_top(module):
    assert module.rest.q == pytest.approx([0.6], abs=1e-9)
    whole = module.rt.modes(module.rt.linearize(module.steady).at_constant_momenta)
    assert module.nutation == pytest.approx(whole.frequencies[0], rel=1e-8)


def stick_slip(module):
    assert module.period == pytest.approx(12.001031294830, rel=1e-9)
    assert module.zone.high == pytest.approx([0.4])


def ladder(module):
    assert (module.stands.states == 0).all()
    assert (module.slides.states == [1, -1]).all()
    assert np.sin(module.smooth.q[-1, 2]) == pytest.approx(2 / 3 * np.sin(1.1), rel=1e-8)


def painleve(module):
    said = ["Reached the last time", "tip is lost", "neither sticking nor slipping", "2 motions agree"]
    assert all(words in answer for words, answer in zip(said, module.answers.values(), strict=True))


def carousel(module):
    assert module.tension == pytest.approx(27.658, rel=1e-4)
    assert module.modes.eigenvalues.real.max() < 0


def pumping(module):
    out, back = module.energies["out"], module.energies["in"]
    assert out["delivered"] > -2 * back["delivered"] > 0
    for each in (out, back):
        assert abs(each["error"]) < 1e-8
        assert abs(each["mass"]) < 1e-9
    assert all((motion.multipliers > 0).all() for motion in module.motions.values())
    assert all(motion.constraint_error < 1e-10 for motion in module.motions.values())
    assert module.power == pytest.approx(4817, rel=1e-3)


def puma(module):
    np.testing.assert_allclose(module.hold, [0, 31.6399, 6.0351, 0, 0.0283, 0], atol=5e-5)
    np.testing.assert_allclose(module.masses[0, :3], [3.6594, -0.4044, 0.1006], atol=5e-5)
    np.testing.assert_allclose(np.diag(module.masses)[1:3], [4.4137, 0.9378], atol=5e-5)
    np.testing.assert_allclose(module.back, module.push, atol=1e-12)


def shaken(module):
    stable = module.standing.verdict != module.rt.Verdict.UNSTABLE
    fast = module.speed > 40  # Kapitza's rule is for fast shaking
    assert (stable == module.kapitza)[fast].mean() > 0.95
    assert module.form.shift == pytest.approx([-np.sqrt(9.81) / 16])
    assert module.backbone.frequencies[-1] < 0.7 * np.sqrt(9.81)


def oscillator(module):
    assert module.late.second[0, 0] == pytest.approx(np.pi**2 / 16 - 1, rel=1e-9)
    assert (module.early.index, module.late.index) == (0, 1)
    assert module.late.value == pytest.approx(np.sin(8) / 4, abs=1e-8)


def compound_pendulum(module):
    """omega^2 = m g a/I by hand."""
    R, a, g = 0.3, 0.1, 9.81
    drilled = g * (R**3 - 1.5 * R * a**2) / (1.5 * R**4 - a**4 / 2 - (1.5 * R * a) ** 2)
    by_hand = {"rod": 10 * g / (7 * 0.8), "disc": 2 * g / (3 * R), "drilled disc": drilled}
    assert module.frequencies == pytest.approx({name: w**0.5 for name, w in by_hand.items()}, rel=1e-12)


def racket(module):
    assert np.diff(module.turns).mean() == pytest.approx(module.between, rel=1e-4)
    firm, loose = module.kept["variational"], module.kept["DOP853"]
    assert max(firm.values()) < 1e-11
    assert firm["momentum"] < 1e-4 * loose["momentum"]


def plate(module):
    """2/7 and 2/5 of the rate of the plate, on circles that do not drift away."""
    np.testing.assert_allclose(module.rates, [3 * 2 / 7, 3 * 2 / 5], rtol=1e-7)
    speed = np.hypot(module.motion["x'"], module.motion["y'"])
    np.testing.assert_allclose(speed, 0.2, rtol=1e-7)
    assert "e0" not in str(module.found.residual)


def circling(module):
    """Rate of angular momentum against the moment of the ground's force, and the free wobble."""
    R, g, spin = 0.5, 9.81, 6.0
    for turn, (xi, eta, _, lean, _), v in zip(
        module.turns, module.steady.q, module.steady.v, strict=True
    ):
        assert v[4] == spin
        assert (xi, eta) == pytest.approx((0, -R * spin / turn), abs=1e-12)
        across, up = (
            np.array([0, np.cos(lean), np.sin(lean)]),
            np.array([0, -np.sin(lean), np.cos(lean)]),
        )
        round_ = np.array([0, 0, turn])
        omega = round_ + spin * across
        L = R**2 / 4 * (omega + (omega @ across) * across)  # A = m R^2/4 along the plane, 2 A across
        centre = np.array([xi, eta, 0]) + R * up
        force = np.cross(round_, np.cross(round_, centre)) + np.array([0, 0, g])
        assert np.cross(round_, L) == pytest.approx(np.cross(-R * up, force), abs=1e-9)
        u3, u2 = turn * np.cos(lean), spin + turn * np.sin(lean)
        row = R * u3 * (6 * u2 - u3 * np.tan(lean)) + 4 * g * np.sin(lean)
        assert row == pytest.approx(0, abs=1e-9)
    assert [str(verdict) for verdict in module.verdicts] == ["stable"] * 3


def swing_up(module):
    """It hangs and stands, by collocation and by simulate."""
    assert module.motion.q[0, 1] == pytest.approx(np.pi)
    np.testing.assert_allclose(module.motion.q[-1], 0, atol=1e-4)
    assert module.error < 1e-4
    assert module.least == pytest.approx(53.41, rel=1e-3)


def kite_loop(module):
    """The loop closes, the tether keeps its length, and simulate flies the same."""
    assert max(module.closed, module.held) < 1e-8
    assert module.error < 1e-7
    assert module.tension.min() > 0
    assert np.ptp(module.motion.q[:, 1]) > 0.2


def kite_power(module):
    """What the winch has is the work of the air, which is below Loyd's limit at every instant."""
    assert max(module.closed, module.held) < 1e-5
    assert module.error < 0.05  # m and m/s, of 200 m and 30 m/s
    assert abs(module.balance) < 1e-8
    assert module.given.max() < module.LOYD
    assert module.motion.multipliers.min() > 0
    assert module.motion[module.z].min() > 50 - 0.01
    # maxima nearby, which another machine may find, are within a percent
    assert module.power == pytest.approx(13778, rel=0.01)
    lost = abs(module.energy[-1] - module.energy[0]) / module.blown
    assert lost < 1e-3
    assert module.power * module.end == pytest.approx(module.solution.value(module.work), rel=1e-4)


def pumped_and_caught(module):
    """The cart's two equations by hand, with the laws again, and the gain by SciPy's Riccati solver."""
    M, m, l, g, (A, k) = 1.0, 0.1, 0.5, 9.81, (module.A, module.k)
    fall, slip = (M + m) * g / M / l, -m * g / M
    free = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [0, slip, 0, 0], [0, fall, 0, 0]])
    push = np.array([[0], [0], [1 / M], [-1 / M / l]])
    S = solve_continuous_are(free, push, np.diag([1.0, 10, 0, 0]), [[0.1]])
    gain = (push.T @ S / 0.1)[0]
    np.testing.assert_allclose(module.regulator.gain[0], gain, rtol=1e-8)
    assert np.linalg.eigvals(free - push @ gain[None]).real.max() < 0
    held = rt.System(
        kinetic=module.cart_pole.kinetic, potential=module.cart_pole.potential,
        forces={module.x: module.catching},
    )  # fmt: skip
    at = rt.equilibrium(held, module.values, guess={"theta": 0.0})
    for said in (rt.stability(rt.linearize(at)), module.regulator.stability):
        assert str(said.verdict) == "asymptotically stable"

    def energy(y):
        return m * l**2 * y[3] ** 2 / 2 + m * g * l * np.cos(y[1])

    def pump(y):
        _, angle, _, w = y
        a = A * np.tanh(k * (energy(y) - m * g * l) * w * np.cos(angle))
        return (M + m * np.sin(angle) ** 2) * a + m * np.sin(angle) * (g * np.cos(angle) - l * w**2)

    def catch(y):
        return module.LARGEST * np.tanh(-gain @ y / module.LARGEST)

    bound = (M + m) * A + 3.05 * m * g
    for motion, law, largest in ((module.pumped, pump, bound), (module.caught, catch, module.LARGEST)):

        def rate(t, y, law=law):
            sine, cosine = np.sin(y[1]), np.cos(y[1])
            mass = [[M + m, m * l * cosine], [m * l * cosine, m * l**2]]
            return [
                *y[2:],
                *np.linalg.solve(mass, [law(y) + m * l * y[3] ** 2 * sine, m * g * l * sine]),
            ]

        y = np.column_stack([motion.q, motion.v]).T
        again = solve_ivp(rate, motion.t[[0, -1]], y[:, 0], method="DOP853", rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(y[:, -1], again.y[:, -1], atol=1e-6)
        force = law(y)
        np.testing.assert_allclose(motion.inputs[:, 0], force, atol=1e-9)
        assert np.abs(force).max() < largest
    risen = energy(np.column_stack([module.pumped.q, module.pumped.v]).T)
    assert np.diff(risen).min() > -1e-9 * m * g * l
    assert m * g * l * np.cos(module.NEAR) < risen[-1] < m * g * l
    assert risen[0] < -0.98 * m * g * l
    np.testing.assert_allclose(module.caught.q[-1], 0, atol=2e-3)


CHECKS = {
    "control_swing_up": pumped_and_caught,
    "optimal_cart_pole": swing_up,
    "optimal_kite_loop": kite_loop,
    "optimal_kite_power": kite_power,
    "rigid_body_tennis_racket": racket,
    "action_oscillator": oscillator,
    "periodic_shaken_pendulum": shaken,
    "hamilton_heavy_top": hamilton_top,
    "friction_stick_slip": stick_slip,
    "friction_ladder": ladder,
    "friction_painleve": painleve,
    "kite_carousel": carousel,
    "kite_pumping": pumping,
    "arm_puma_560": puma,
    "hybrid_hub_beam": hub_beam,
    "continuous_rotating_beam": rotating_beam,
    "continuous_buckled_column": buckled_column,
    "gyroscopic_rotating_table": turning_table,
    "rheonomic_accelerated_pendulum": accelerated_pendulum,
    "control_crane": crane,
    "chain_many_links": many_links,
    "gyroscopic_trojan_points": trojan,
    "equilibria_coupled_pendulums": coupled,
    "bifurcation_bead_on_hoop": hoop,
    "follower_ziegler_column": ziegler,
    "rotor_campbell_diagram": rotor,
    "steady_heavy_top": top,
    "equilibria_three_bodies": bodies,
    "motion_double_pendulum": swinging,
    "monte_carlo_pendulum": monte_carlo,
    "periodic_million_points": million_points,
    "study_unround_shaft": unround,
    "constraint_pendulum_tension": thread,
    "rolling_disc": disc,
    "steady_rolling_disc": circling,
    "rolling_ball_turning_plate": plate,
    "rigid_body_heavy_top": heavy_top,
    "rigid_body_compound_pendulum": compound_pendulum,
    "tour": tour,
}


def test_every_example_is_checked():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(CHECKS)


LONG = (
    "hamilton_heavy_top", "periodic_shaken_pendulum", "continuous_buckled_column", "continuous_rotating_beam",
    "equilibria_coupled_pendulums", "friction_stick_slip", "optimal_cart_pole", "optimal_kite_loop",
    "optimal_kite_power",
)  # fmt: skip


@pytest.mark.parametrize("name", partly_slow(CHECKS, *LONG))
def test_number_of_the_example(name):
    if name.startswith("study_"):
        pytest.importorskip("zarr")
        pytest.importorskip("xarray")
    module = load(name)
    CHECKS[name](module)
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    "name", [n if n == "tour" else pytest.param(n, marks=pytest.mark.slow) for n in CHECKS]
)
def test_example_runs_as_a_script(name, tmp_path):
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")], capture_output=True, text=True, check=True,
        env={"PYTHONIOENCODING": "utf-8", "PATH": "", "MPLBACKEND": "Agg"}, cwd=tmp_path,
    )  # fmt: skip
    assert run.stdout
    if name == "tour":
        for seen in (
            "Four equilibria",
            " stable ",
            " unstable ",
            "2.47614",
            "θ̇₂",
            "Lagrange-Dirichlet",
            "Proven complete",
        ):
            assert seen in run.stdout
        assert max(map(len, run.stdout.splitlines())) <= 104  # combining dots have no width
