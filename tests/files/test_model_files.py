"""Model files: every example with one number, writing and reading again, units, mistakes."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import routh as rt
from routh.display.report.findings import Findings
from routh.files.places import places
from routh.files.units import dimension_of, dimension_warnings
from routh.language.walk import unfold

MODELS = Path(__file__).parents[2] / "examples" / "models"
G = 9.81


@cache
def read(name):
    model = rt.load(MODELS / f"{name}.toml")
    return model, Findings(model, model.values)


def lowest(name, k=0):
    return rt.modes(rt.linearize(read(name)[1].rest())).frequencies[k]


def place(name, k=0):
    return read(name)[1].rest().q[k]


def damped(M, C, K):
    """Eigenvalues with the smallest imaginary part above zero, by NumPy alone."""
    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    s = np.linalg.eigvals(A)
    return np.sort(s[s.imag > 0].imag)[0]


def quarter_car():
    M, k, kt, c = np.diag([300.0, 40.0]), 20000.0, 180000.0, 1200.0
    return damped(M, c * np.array([[1, -1], [-1, 1]]), np.array([[k, -k], [-k, k + kt]]))


def mass_damper():
    M, K, k, c = np.diag([10.0, 0.5]), 1000.0, 45.35, 1.27
    return damped(M, c * np.array([[1, -1], [-1, 1]]), np.array([[K + k, -k], [-k, k]]))


def onset_of_flutter():
    model, found = read("ziegler_column")
    rest = rt.equilibrium(model.system, found.values | {"P": 0.5})
    return rt.follow(rest, "P", 3).of(rt.Kind.FLUTTER)[0].value


def steady_top():
    spin, turn = 60, 0.828  # (A - C) turn^2 cos(theta) - C spin turn + m g l = 0
    return read("spinning_top")[1].rest().q[1] - np.arccos(
        (0.01 * spin * turn - 0.5 * G * 0.1) / ((0.02 - 0.01) * turn**2)
    )


def speaker_root():
    """(L s + R) (m s^2 + c s + k) + (Bl)^2 s = 0: the pair of the cone."""
    circuit, cone = np.poly1d([5e-4, 6]), np.poly1d([0.015, 1, 2000])
    return max((circuit * cone + np.poly1d([49, 0])).roots.imag)


def motor_root():
    """The slow root of current, both speeds and the twist, as first-order equations."""
    L, R, K, Jm, Jl, k, c, d = 2e-3, 0.5, 0.1, 1e-3, 5e-3, 20, 0.02, 1e-3
    A = [[-R / L, -K / L, 0, 0], [K / Jm, -c / Jm, c / Jm, -k / Jm],
         [0, c / Jl, -(c + d) / Jl, k / Jl], [0, 1, -1, 0]]  # fmt: skip
    return max(np.linalg.eigvals(A).real)


def slowest(name):
    roots = rt.modes(rt.linearize(read(name)[1].rest())).eigenvalues.real
    return max(roots[abs(roots) > 1e-6])


def caught():
    motion = read("block_on_belt")[1].motion
    at = [phase.motion.v[0, 0] for phase in motion.phases if phase.states == (0,)]
    return at[-1]


def growth_of_a_standing_pendulum():
    """Half the trace of the monodromy matrix of phi'' = (g - A w^2 cos(w t)) phi / l, by SciPy."""
    A, w = 0.1, 60.0

    def rate(t, x):
        return [x[1], (G - A * w**2 * np.cos(w * t)) * x[0]]

    ends = [
        solve_ivp(rate, (0, 2 * np.pi / w), x, method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
        for x in np.eye(2)
    ]
    return (ends[0][0] + ends[1][1]) / 2


def multiplier(name):
    model, found = read(name)
    period = model.number(model.analysis.period)
    return rt.floquet(model.system, found.values, period, guess=model.guess).multipliers[0].real


def first(name, **inputs):
    """Accelerations, then multipliers, at the start of the model."""
    model, found = read(name)
    laws = {str(u): law for u, law in model.laws.items()} | inputs
    motion = rt.simulate(found.system, found.values, model.start, [0, 1e-9], inputs=laws or None)
    return np.concatenate([motion.a[0], motion.multipliers[0]])


def last(name, what):
    model, found = read(name)
    return found.motion[model.expression(what)][-1]


def hoisted():
    """The force of the winch that gives r'' = 0.1, by its equation of motion."""
    push = 2 * (0.1 + 1.93303345264017 * np.sin(0.4) - 1.5 * 0.25 - G * np.cos(0.4))
    return first("hoisting_crane", Fh=push)


def moved_by_laws():
    return -(2 * 0.2 * 0.5 + G * np.sin(0.4) + np.cos(0.4)) / 1.5


def rods_with_a_weight(n=8, length=2.0, density=0.3, weight=0.5):
    """The lowest frequency of a chain of rods with a weight, in small absolute angles, by NumPy."""
    h, m = length / n, density * length / n
    M, K = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        below = m * (n - 1 - i) + weight
        M[i, i] = m * h**2 / 3 + below * h**2
        K[i, i] = G * h * (m / 2 + below)
        for j in range(i):
            M[i, j] = M[j, i] = h**2 * (m / 2 + below)
    return np.sqrt(np.min(np.linalg.eigvals(np.linalg.solve(M, K)).real))


def depth_of_rods(n=10, length=3.0, span=2.0):
    """The lowest hinge of a hanging chain of rods: each slopes like what its middle carries."""
    h = length / n
    loads = np.arange(n) - (n - 1) / 2

    def gap(pull):
        return (h / np.sqrt(1 + (loads / pull) ** 2)).sum() - span

    slopes = np.arctan(loads / brentq(gap, 1e-6, 1e3, xtol=1e-14, rtol=1e-14))
    return h * np.sin(slopes[: n // 2]).sum()


def pull_of_a_kite():
    """The tension by Newton's law in the plane of the tether, and what is left across it."""
    rest = read("carousel_kite")[1].rest()
    rho, A, CL, CD, m, spin = 1.2, 0.3, 0.8, 0.1, 1.2, np.array([0, 0, 1.3])
    line = rest.q
    place = np.add(line, [2, 0, 0])
    wind = -np.cross(spin, place)
    side = np.cross(wind, line) / np.linalg.norm(np.cross(wind, line))
    up, V = np.cross(side, wind) / np.linalg.norm(wind), np.linalg.norm(wind)
    air = rho * A / 2 * (CD * V * wind + CL * V**2 * up)
    need = m * np.cross(spin, np.cross(spin, place)) - air + [0, 0, m * G]
    along = line / 6
    across = need - (need @ along) * along
    assert np.abs(across).max() < 1e-9
    return -(need @ along) / (rest.multipliers[0] * 6)


def kite_on_a_winch():
    """l'' of the pumping kite at its start, and its acceleration across the tether, by Newton's law."""
    e, v, l, up = np.array([0.8, 0, 0.6]), np.array([0, -20.0, 0]), 160.0, np.array([0, 0, 1.0])

    def apparent(share):
        blown = 9 * np.log(share * 96 / 0.03) / np.log(10 / 0.03)
        return np.array([blown, 0, 0]) - share * v

    wind = apparent(1.0)
    V, side = np.linalg.norm(wind), np.cross(wind, e)
    side = side / np.linalg.norm(side)
    aim = np.array([0, -0.1, 0.1 * (1 - 0.1**2 / 0.15**2)])
    roll = 0.4 * np.cross(v, aim) @ e / (20 * np.linalg.norm(aim))
    lift = 0.59 * V * (np.cos(roll) * np.cross(side, wind) + np.sin(roll) * V * side)
    push = 1.225 * 19.8 / 2 * (lift + 0.164 * V * wind)
    felt = push  # at the end; of the drag along the tether its share
    for share in (0.5 - np.sqrt(1 / 12), 0.5 + np.sqrt(1 / 12)):
        across = apparent(share) - apparent(share) @ e * e
        felt = felt + share * 1.225 * 1.1 * 0.004 / 4 * l * np.linalg.norm(across) * across
    m, mu = 19.6, 0.01
    first = m + mu * l / 2
    reeling = first * v @ v / l + push @ e - (m + mu * l) * G * 0.6 - (4500 - 500 * 3)
    swing = (felt - first * G * up) / (m + mu * l / 3)
    across = swing - swing @ e * e
    return [reeling / (m + mu * 400 + 1.5 / 0.3**2), *across]


def flown():
    """The same of the model."""
    *place, reeling, _ = first("pumping_kite")
    e = np.array([0.8, 0, 0.6])
    return np.array([reeling, *(place - place @ e * e)])


def friction_curve():
    model, found = read("stick_slip")
    (contact,) = model.system.friction
    values = {p: found.values[p.name] for p in model.system.parameters}
    return np.array([float(contact.law(v).subs(values)) for v in (0.05, 0.3, 2)])


def on_a_wedge():
    """Newton for block and wedge: N across the face on the block, mu N up along it."""
    s, c, mu, M, m = np.sin(0.6), np.cos(0.6), 0.2, 5.0, 2.0
    x, y = s - mu * c, c + mu * s  # the force on the block per N
    N = G * c / (c * y / m + (x / M + x / m) * s)
    return [-x * N / M, x * N / m, y * N / m - G]


def braked():
    """Moments of the lever, P l - N a + mu N b = 0, give N; the drum stops after J w/(mu N R)."""
    N = 50 * 0.6 / (0.2 - 0.3 * 0.1)
    return 20 * 0.5 / (0.3 * N * 0.15)


def stopped_drum():
    """When the drum of the brake begins to stick."""
    return next(phase.start for phase in read("shoe_brake")[1].motion.phases if phase.states == (0,))


def fallen_chain():
    """(x x')^2 = 2 g (x^3 - x0^3)/3, so that x' is told by x."""
    x, v = last("unfolding_chain", "x"), last("unfolding_chain", "x'")
    return v * np.sqrt(1.5 / (G * (x**3 - 0.1**3))) * x


def same_top():
    """The height of the centre of mass in both descriptions of a top."""
    return last("quaternion_top", "r[3]") / last("spinning_top", "l*cos(theta)")


def circled():
    """The acceleration of the centre, at right angles to its velocity: 2/7 of the rate of the plate."""
    names = [str(q) for q in read("ball_on_turning_plate")[0].system.coordinates]
    a = first("ball_on_turning_plate")
    return [a[names.index("x")], round(a[names.index("y")], 12)]


def matrices_of(name):
    linear = rt.linearize(read(name)[1].rest())
    return np.stack([linear.D, linear.G, linear.K, linear.H])


def momentum():
    return read("relativistic_particle")[1].motion.momenta[0, 0]


NUMBERS = {
    "length_angle_pendulum": (
        lambda: first("length_angle_pendulum")[1:], [-3.69276177600353, 20.5130847645279],
    ),
    "cartesian_double_pendulum": (
        lambda: first("cartesian_double_pendulum"),
        [-7.81458954448636, -3.39399838907490, 1.55800361076142, -4.77339787940277,
         16.3127155051552, 6.59008917005659],
    ),
    "inclined_plane": (lambda: first("inclined_plane"), [G * np.sin(0.5)]),
    "hoisting_crane": (hoisted, [1.93303345264017, 0.1, -3.86709043425163]),
    "reeled_crane": (
        lambda: first("reeled_crane"),
        [1.93303345264017, -3.33258363160041, -1.92769847788334, 11.4104662245520],
    ),
    "prescribed_crane": (lambda: first("prescribed_crane"), [moved_by_laws()]),
    "table_with_springs": (lambda: lowest("table_with_springs"), 2.89577260810507),
    "tethered_mass": (lambda: lowest("tethered_mass"), rods_with_a_weight()),
    "slack_tether": (lambda: place("slack_tether", 1), -(1 + G / 400)),
    "carousel_kite": (pull_of_a_kite, 1),
    "pumping_kite": (flown, kite_on_a_winch()),
    "winch_weight": (
        lambda: first("winch_weight")[2],
        ((3 + 0.4 * 5) * G * 0.8 - 8 / 0.3) / (3 + 0.4 * 25 + 0.8 / 0.3**2),
    ),
    "stick_slip": (friction_curve, [1.40940039153570, 1.12006170490204, 1.8]),
    "rocket": (lambda: last("rocket", "z'"), 2000 * np.log(100 / 40) - 30 * G),
    "unfolding_chain": (fallen_chain, 1),
    "hanging_chain": (lambda: place("hanging_chain", 9), depth_of_rods()),
    "quaternion_top": (same_top, 1),
    "ball_on_turning_plate": (circled, [-0.2 * 3 * 2 / 7, 0]),
    "two_link_hub": (lambda: lowest("two_link_hub") ** 2, 1.73970837453070),
    "tip_mass_hub": (lambda: lowest("tip_mass_hub") ** 2, 59 / 35),
    "rod_arm_hub": (lambda: lowest("rod_arm_hub") ** 2, 1.61252034245336),
    "accelerated_hub": (lambda: first("accelerated_hub"), [-1.5 * (1 + 0.3 / 0.8)]),
    "accelerated_table": (lambda: first("accelerated_table"), [-2 * 10 * 0.2, -0.3 * 0.2]),
    "moving_string": (lambda: lowest("moving_string"), np.pi * (25 - 9) / (5 * 1.5)),
    "accelerated_arm": (lambda: place("accelerated_arm"), -(0.8**2) * 1.5 / 5),
    "t_structure": (lambda: lowest("t_structure"), 2.04460465787154),
    "graded_foundation": (
        lambda: lowest("graded_foundation") ** 2, (4 * (np.pi / 1.5) ** 4 + 30) / 1.2,
    ),
    "relativistic_particle": (momentum, 4.02492235949962),
    "hardening_spring": (lambda: place("hardening_spring"), 0.5),
    "two_rod_arm": (
        lambda: rt.linearize(read("two_rod_arm")[1].rest()).M[0, 0],
        2 * 0.8**2 / 3 + 1.5 * (0.8**2 + 0.6**2 / 3 + 0.8 * 0.6),
    ),
    "circulatory_forces": (
        lambda: matrices_of("circulatory_forces"),
        np.array([[[2, 3], [3, 3]], [[0, 2], [-2, 0]], [[10, -1], [-1, 7]], [[0, -3], [3, 0]]]),
    ),
    "shaken_pendulum": (lambda: multiplier("shaken_pendulum"), growth_of_a_standing_pendulum()),
    "block_on_belt": (caught, 0.2),
    "block_on_wedge": (lambda: first("block_on_wedge")[:3], on_a_wedge()),
    "bead_on_rotating_rod": (
        lambda: last("bead_on_rotating_rod", "r"),
        0.1 * np.exp(2 * 2 * (np.sqrt(1 + 0.5**2) - 0.5)),  # s^2 + 2 mu Omega s - Omega^2 = 0
    ),
    "shoe_brake": (stopped_drum, braked()),
    "thrown_disc": (lambda: read("thrown_disc")[1].motion.v[-1, 0], 3 * 2 / 3),
    "sliding_ladder": (
        lambda: np.sin(read("sliding_ladder")[1].motion.q[-1, 2]), 2 / 3 * np.sin(1.1),
    ),
    "drilled_disc": (
        lambda: lowest("drilled_disc"),
        np.sqrt(9.81 * (0.3**3 - 0.45 * 0.1**2) / (1.5 * 0.3**4 - 0.1**4 / 2 - 0.045**2)),
    ),
    "rlc_circuit": (lambda: lowest("rlc_circuit"), np.sqrt(9900)),
    "loudspeaker": (lambda: lowest("loudspeaker", 1), speaker_root()),
    "dc_motor": (lambda: slowest("dc_motor"), motor_root()),
    "pendulum": (lambda: lowest("pendulum"), np.sqrt(G / 1.2)),
    "double_pendulum": (lambda: lowest("double_pendulum"), 2.4761361022),
    "double_pendulum_absolute": (
        lambda: lowest("double_pendulum_absolute"), np.sqrt((2 - np.sqrt(2)) * G / 1.2),
    ),
    "coupled_pendulums": (lambda: len(read("coupled_pendulums")[1].rests), 6),
    "rotating_mass": (lambda: place("rotating_mass"), 0.0878048780487805),
    "accelerated_pendulum": (lambda: place("accelerated_pendulum"), 0.296778873080397),
    "turning_table": (lambda: lowest("turning_table"), 2.89577260810507),
    "elastic_pendulum": (lambda: lowest("elastic_pendulum") ** 2, 7.87793615739811),
    "cartesian_pendulum": (lambda: lowest("cartesian_pendulum"), np.sqrt(G / 1.5)),
    "pushed_pendulum": (lambda: place("pushed_pendulum"), 0.201117383996941),
    "crane": (lambda: lowest("crane", 1) ** 2, G * 7 / (5 * 1.5)),
    "cart_pole": (
        lambda: rt.modes(rt.linearize(read("cart_pole")[1].rest())).eigenvalues.real.max() ** 2,
        1.1 * G / 0.5,
    ),
    "furuta_pendulum": (
        lambda: lowest("furuta_pendulum", 1) ** 2, G * (0.02 + 0.1 * 0.3**2) / (0.25 * 0.02),
    ),
    "spherical_pendulum": (lambda: np.cos(place("spherical_pendulum")), G / 16),
    "spinning_top": (steady_top, 0),
    "bead_on_hoop": (lambda: len(read("bead_on_hoop")[1].rests), 4),
    "watt_governor": (lambda: np.cos(place("watt_governor")), 1.5 * G / (0.5 * 0.3 * 13**2)),
    "quarter_car": (lambda: lowest("quarter_car"), quarter_car()),
    "tuned_mass_damper": (lambda: lowest("tuned_mass_damper"), mass_damper()),
    "double_well": (lambda: len(read("double_well")[1].rests), 3),
    "ziegler_column": (onset_of_flutter, 3.5 - np.sqrt(2)),
    "hub_beam": (lambda: lowest("hub_beam", 1), 5.72035891239293),
    "rotating_beam": (lambda: lowest("rotating_beam") ** 2, 13.1174132493387),
    "shaken_beam": (
        lambda: read("shaken_beam")[1].rest().field("w", 1.5)[0], -0.99140625,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_number_of_the_model(name):
    compute, expected = NUMBERS[name]
    assert compute() == pytest.approx(np.array(expected) if np.ndim(expected) else expected, rel=1e-9)


def test_every_model_has_a_number_a_description_and_units_that_fit():
    assert {path.stem for path in MODELS.glob("*.toml")} == set(NUMBERS)
    assert len(NUMBERS) >= 20
    for name in NUMBERS:
        model, _ = read(name)
        assert model.description
        assert dimension_warnings(model.system, model.units) == ()


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_a_model_that_is_written_is_read_as_the_same(name, tmp_path):
    model, _ = read(name)
    again = rt.load(rt.save(model, tmp_path / "again.toml", values={}))
    assert len(again.system.friction) == len(model.system.friction)
    system = rt.load(rt.save(model.system, tmp_path / "system.toml", values=model.values))
    assert again.values == system.values == model.values
    assert again.analysis == model.analysis
    if model.system.friction:
        written = [str(system.system.friction[0].law(2)), str(again.system.friction[0].law(2))]
        assert written == [str(model.system.friction[0].law(2))] * 2
        return
    for other in (again, system):
        assert [str(q) for q in other.system.coordinates] == [str(q) for q in model.system.coordinates]
        assert len(other.system.constraints) == len(model.system.constraints)
    if not model.system.fields:
        start = {str(x): number for x, number in model.start.items()}
        first = accelerations(model.system, model.values, start, laws_in(model.system, model))
        for other in (again, system):
            found = accelerations(other.system, other.values, start, laws_in(other.system, model))
            np.testing.assert_allclose(found, first, rtol=1e-9, atol=1e-9)


def laws_in(system, model):
    """The laws of a model in the coordinates of another reading of its system."""
    own = dict(zip(model.system.coordinates, system.coordinates, strict=True))
    own |= {q.rate: other.rate for q, other in own.items()}
    return {str(u): unfold(sympy.sympify(law)).xreplace(own) for u, law in model.laws.items()}


def accelerations(system, values, start, laws):
    """Accelerations and multipliers at the start and soon after it."""
    motion = rt.simulate(system, values, start, [0, 1e-3], inputs=laws or None)
    return np.concatenate([motion.a, motion.multipliers], axis=1)


def test_a_system_is_written_with_its_letters_and_strange_names(tmp_path):
    x, m = rt.coordinate("x", latex="\\xi"), rt.parameter("m", 2.0, latex="m_0", unit="kg")
    a = rt.let("a", x**2)
    other = rt.coordinate("a_dot")
    system = rt.System(
        kinetic=m / 2 * (rt.ddt(a) ** 2 + rt.ddt(x) ** 2 + rt.ddt(other) ** 2),
        potential=x**2 + other**2,
        name='odd\x01 "name"',
    )
    again = rt.load(rt.save(system, tmp_path / "odd.toml"))
    assert again.name == system.name
    assert again.system.coordinates[0]._latex_name == "\\xi"
    assert again.system.parameters[0]._latex_name == "m_0"
    assert again.values == {"m": 2.0}
    models = [rt.linearize(rt.equilibrium(each, {"m": 2.0})).M for each in (system, again.system)]
    np.testing.assert_allclose(models[0], models[1])


def test_values_are_changed_when_a_model_is_saved(tmp_path):
    model, _ = read("pendulum")
    again = rt.load(rt.save(model, tmp_path / "heavy.toml", values={"m": 7}))
    assert again.values["m"] == 7
    assert again.units == model.units
    with pytest.raises(rt.DeclarationError, match=r"`mm`, which is no parameter.*Did you mean `m`"):
        rt.save(model, tmp_path / "heavy.toml", values={"mm": 7})
    with pytest.raises(rt.DeclarationError, match=r"save writes a Model or a System. Got an int"):
        rt.save(3, tmp_path / "x.toml")


HEAD = "[coordinates]\nx = {}\n[parameters]\nm = 1\nk = 4\n"
ENERGY = '[energy]\nkinetic = "m/2*x\'^2"\npotential = "k/2*x^2"\n'

MISTAKES = {
    "no TOML": ("[energy\nx", r"is no TOML.*Texts stand in quotes"),
    "no energy": (HEAD, r"`energy` is missing. Write a table \[energy\]"),
    "a nest without end": ("x = " + "[" * 5000 + "\n", r"is no TOML"),
    "a value that is not finite": (
        "[coordinates]\nx = {start = nan}\n" + ENERGY, r"line 2: `coordinates.x.start`: Expected a finite number. Got nan",
    ),
    "a name of the language": (HEAD + '[let]\npi = "3"\n' + ENERGY, r"The name of an intermediate must not be `pi`"),
    "a line through nothing": (HEAD + ENERGY + "[drawing]\nlines = [[]]\n", r"`drawing.lines.1`: List should have at least 1 item"),
    "a drawing in two and three dimensions": (
        HEAD + ENERGY + '[drawing]\nlines = [["[0, 0]", "[x, 0, 0]"]]\n', r"two components everywhere",
    ),
    "a word that means nothing": (
        HEAD + ENERGY + "[drawing]\npoint = []\n",
        r"line 10: `drawing` knows no `point`. Known: points, masses, lines, springs, circles, curves, ground, labels, bodies, arrows, frames. Did you mean"
        r" `points`\?",
    ),
    "a word that means nothing at the top": (
        "nam = \"x\"\n" + HEAD + ENERGY, r"line 1: A model knows no `nam`. .*Did you mean `name`",
    ),
    "a word beside what it was meant for": (
        HEAD + ENERGY + '[drawing]\ncircles = [{at = "[x, 0]", raduis = 1}]\n',
        r"line 10: `drawing.circles.1` knows no `raduis`. Known: at, radius. Did you mean `radius`\?",
    ),
    "a list of tables that means nothing": (
        HEAD + ENERGY + "[[kit]]\nat = 1\n", r"line 9: A model knows no `kit`. .*Did you mean `kite`\?",
    ),
    "one table for a list of them": (
        HEAD + ENERGY + '[kite]\nat = "x"\n', r"line 9: `kite`: Expected a list of tables. Write \[\[kite\]\]",
    ),
    "a name that comes later": (
        HEAD + '[let]\na = "2*b"\nb = "3*x"\n' + ENERGY, r"`b` gets its meaning further below",
    ),
    "the time as a parameter": (
        "[parameters]\nt = 1\n" + ENERGY, r"line 2, `parameters.t`: The name of a parameter must not be `t`, which is time",
    ),
    "a text for a number": (
        "[coordinates]\nx = {start = \"here\"}\n" + ENERGY, r"line 2: `coordinates.x.start`: Expected a number. Got 'here'",
    ),
    "a name that is not there": (
        HEAD + "[energy]\nkinetic = \"m/2*x'^2\"\npotential = \"kk/2*x^2\"\n",
        r"`energy.potential`, line 8, column 14: `kk` is no name of this model. Did you mean `k`\?",
    ),
    "two things of one name": (
        "[coordinates]\nx = {}\n[parameters]\nx = 1\n" + ENERGY, r"The name `x` stands for two things",
    ),
    "a coordinate without energy": (
        "[coordinates]\nx = {}\ny = {}\n[parameters]\nm = 1\nk = 4\n" + ENERGY,
        r"`y` is declared and enters no energy",
    ),
    "a force without a place": (
        HEAD + ENERGY + "[[forces]]\nforce = \"[1, 0]\"\n",
        r"line 9, `forces.1`: A force has `on` and `value`.*Got: force",
    ),
    "a field on no space": (
        HEAD + ENERGY + "[fields]\nw = {space = \"s\"}\n",
        r"The field `w` lives on `s`, which is no space of the model. Spaces: nothing",
    ),
    "an end of no space": (
        HEAD + ENERGY.replace("k/2*x^2", "at(x, m, 0)"), r"`energy.potential`, line 8, column 14:",
    ),
    "a parameter with a wrong word": (
        "[parameters]\nm = {valeu = 1}\n" + ENERGY,
        r"line 2: `parameters.m` knows no `valeu`. Known: value, unit, range, positive, nonnegative, latex. Did you mean `value`\?",
    ),
    "a truth for a number": (
        "[parameters]\nm = true\n" + ENERGY, r"line 2: `parameters.m`: Expected a table",
    ),
    "a number for a truth": (
        "[coordinates]\nx = {periodic = 1}\n" + ENERGY, r"periodic`: Expected true or false. Got 1",
    ),
    "a range that falls": (
        "[parameters]\nm = {value = 1, range = [3, 1]}\n" + ENERGY,
        r"line 2: `parameters.m.range`: Expected the lower end of a range first. Got \[3, 1\]",
    ),
    "a range of one number": (
        "[parameters]\nm = {value = 1, range = [3]}\n" + ENERGY, r"range`: Expected two values",
    ),
    "a unit that is none": (
        HEAD.replace("m = 1", 'm = {value = 1, unit = "kgg"}') + ENERGY,
        r"line 4, `parameters.m.unit`: The unit `kgg` contains `kgg`, which is not known.*mean `kg`",
    ),
    "a sweep of nothing": (
        HEAD + ENERGY + '[analysis.sweep]\nparameter = "mm"\nfrom = 0\nto = 1\n',
        r"line 10, `analysis.sweep.parameter`: `mm` is no parameter of the model.*mean `m`",
    ),
    "a unit with a strange power": (
        HEAD.replace("m = 1", 'm = {value = 1, unit = "kg^²"}') + ENERGY, r"contains `kg\^²`, which is not",
    ),
    "a sweep that stands still": (
        HEAD + ENERGY + '[analysis.sweep]\nparameter = "m"\nfrom = 1\nto = 1\n', r"`from` and `to` to differ",
    ),
    "LaTeX that never ends": (
        "[coordinates]\nx = {latex = '\\frac{'}\n" + ENERGY, r"Expected mathematics in LaTeX, like \\vartheta_\{1\}. Its braces do not match",
    ),
    "friction that is negative": (
        HEAD + ENERGY + '[[friction]]\nslip = "x\'"\nstatic = "-1"\n', r"line 9, `friction.1`: `static` of friction must not",
    ),
    "a speed of nothing": (
        HEAD + ENERGY + "[analysis.speeds]\ny = 1\n", r"line 10, .*`y` is no coordinate of the model",
    ),
    "something shown that is nothing": (
        HEAD + ENERGY + '[analysis.motion]\nshown = ["x", "x*zz"]\n',
        r"`analysis.motion.shown.2`, line 10, column 18: `zz` is no name",
    ),
    "a vector for an energy": (
        HEAD + ENERGY.replace("k/2*x^2", "[x, k]"), r"line 8, `energy.potential`: ",
    ),
    "a law that is a vector": (
        HEAD + "[inputs]\nu = {law = \"[t, t]\"}\n" + ENERGY.replace("k/2*x^2", "k*u*x"),
        r"line 7, `inputs.u.law`: ",
    ),
    "a mistake in a long text": (
        HEAD + '[energy]\nkinetic = """\nm/2*x\'^2\n  + q"""\n',
        r"`energy.kinetic`, line 9, column 5: `q` is no name",
    ),
    "a mistake in one of several": (
        HEAD + "[energy]\nkinetic = [\"m/2*x\'^2\", \"z\"]\n",
        r"`energy.kinetic.2`, line 7, column 25: `z` is no name",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_models(mistake):
    text, sentence = MISTAKES[mistake]
    with pytest.raises(rt.RouthError, match=sentence):
        rt.load(text)


def texts_within(value, path=()):
    if isinstance(value, str):
        yield path, value
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield from texts_within(inner, (*path, key))
    for k, inner in enumerate(value) if isinstance(value, list) else ():
        yield from texts_within(inner, (*path, k))


ODD = """a.b = "1" # "x = 2"
"x y".z = [ "p", # ]
  'q=]' ]
[[f]]
v = "1"
[[f]]
v = '''2
three'''
[f.s]
w = {a = "k", b = ["1", {c = "}"}]}
"""


@pytest.mark.parametrize(
    "text", [ODD, *(path.read_text(encoding="utf-8") for path in sorted(MODELS.glob("*.toml")))]
)
def test_every_text_of_a_file_is_found_at_its_place(text):
    found, lines = places(text), text.splitlines()
    every = list(texts_within(tomllib.loads(text)))
    assert every
    for path, value in every:
        line, column = found[path]
        assert (
            lines[line - 1][column - 1 :].startswith(value.splitlines()[0]) or "\\" in lines[line - 1]
        )


def test_intermediates_that_would_explode_are_not_written_out():
    names = "\n".join(f'p{k + 1} = "p{k}*p{k} + sin(p{k})"' for k in range(25))
    model = rt.load(HEAD + f'[let]\np0 = "x"\n{names}\n' + ENERGY.replace("k/2*x^2", "p25 + x^2"))
    with pytest.raises(rt.DeclarationError, match="terms with its intermediates written out"):
        rt.equations(model.system)


def test_powers_of_powers_of_intermediates_are_differentiated_and_shown_as_graphs():
    names = "\n".join(f'p{k + 1} = "(p{k} + x)^20*p{k}"' for k in range(12))
    bomb = rt.load(HEAD + f'[let]\np0 = "x"\n{names}\n' + ENERGY.replace("k/2*x^2", "p12"))
    assert len(str(rt.equations(bomb.system))) < 20_000
    with pytest.raises(rt.DeclarationError, match="terms with its intermediates written out"):
        rt.linear_equations(bomb.system, dict.fromkeys(bomb.system.coordinates, 0))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(rt.DeclarationError, match=r"There is no model file 'nope.toml'"):
        rt.load("nope.toml")
    (tmp_path / "odd.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(rt.DeclarationError, match="is no text in UTF-8"):
        rt.load(tmp_path / "odd.toml")


def test_units_are_compared_and_what_does_not_fit_is_said():
    assert dimension_of("N*m") == dimension_of("J") == dimension_of("kg*m^2/s^2")
    assert dimension_of("N*s/m") == dimension_of("kg/s")
    with pytest.raises(rt.DeclarationError, match="contains `furlong`, which is not known"):
        dimension_of("kg*furlong")
    head = (
        '[coordinates]\nx = {unit = "m"}\n[parameters]\nm = {value = 1, unit = "kg"}\n'
        'k = {value = 1, unit = "N/m"}\n'
    )
    wrong = {
        "k/2*x": r"`k\*x/2` in `potential` has the dimension kg\*m\*s\^-2|kg\*m\*s",
        "k/2*x^2 + m*x": "they cannot be added",
        "k*cos(x)": "the argument `x` of cos has the dimension m; it must be a pure number",
    }
    for potential, sentence in wrong.items():
        model = rt.load(head + f'[energy]\nkinetic = "m/2*x\'^2"\npotential = "{potential}"\n')
        (said,) = dimension_warnings(model.system, model.units)
        assert re.search(sentence, said)
