"""Rest with friction by the normal force: zones, slipping equilibria and their linear models."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

import routh as rt
from routh import ddt

G = 9.81
x, y, mu = rt.coordinate("x"), rt.coordinate("y"), rt.parameter("mu")
RADIUS = rt.sqrt(x**2 + y**2)
GAP = 1 - RADIUS
ROUND = (y * ddt(x) - x * ddt(y)) / RADIUS


def bowl(speed=0, **more):
    """A block in a round bowl of radius 1, which may turn about its axis at a speed of its wall."""
    contact = rt.friction(ROUND + speed, coefficient=mu, normal=rt.reaction(GAP), name="wall", **more)
    return rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=G * y,
        constraints=[GAP],
        friction=contact,
        name="bowl",
    )


def test_a_block_rests_in_a_bowl_up_to_the_angle_of_friction():
    """tan(angle) = mu, whatever the weight."""
    zone = rt.stick_zone(bowl(), {"mu": 0.3}, guess={y: -1})
    limit = np.arctan(0.3)
    assert zone.high == pytest.approx([np.sin(limit), -np.cos(limit)], rel=1e-6)
    assert zone.low == pytest.approx([-np.sin(limit), -1], rel=1e-6)
    at = {x: 0.1, y: -np.sqrt(0.99)}
    assert np.abs(zone.loads(at)) == pytest.approx(0.1 / np.sqrt(0.99) / 0.3, rel=1e-9)
    assert zone.contains(at)
    assert not zone.contains({x: 0.3, y: -np.sqrt(0.91)})
    assert not zone.contains({x: 0.1, y: np.sqrt(0.99)})  # under the roof it would have to be pulled


def test_a_motion_rests_where_the_zone_says():
    for at, rests in ((0.2873, True), (0.2874, False)):
        start = {x: at, y: -np.sqrt(1 - at**2)}
        motion = rt.simulate(bowl(), {"mu": 0.3}, start, [0, 0.01])
        assert (motion.states[0, 0] == 0) == rests


@pytest.mark.parametrize("viscous", [0.0, 0.1])
def test_the_linear_model_in_slip_goes_through_the_normal_force(viscous):
    """angle'' = -g sin + mu (g cos + angle'^2) + viscous (speed - angle'), about where that is zero."""
    system = bowl(2, viscous=viscous)
    rest = rt.equilibrium(system, {"mu": 0.3}, guess={y: -1})
    angle = np.arctan2(rest.q[0], -rest.q[1])
    assert -G * np.sin(angle) + 0.3 * G * np.cos(angle) + 2 * viscous == pytest.approx(0, abs=1e-9)
    linear = rt.linearize(rest)
    assert pytest.approx(np.ones((1, 1))) == linear.M
    assert linear.K[0, 0] == pytest.approx(G * np.cos(angle) + 0.3 * G * np.sin(angle), rel=1e-9)
    assert linear.D[0, 0] == pytest.approx(viscous, abs=1e-12)
    finite = linear.descriptor
    own = np.linalg.inv(finite.K)[:2, :2]  # of positions by forces: of rank 1 along the wall
    assert np.linalg.matrix_rank(own, tol=1e-9) == 1


def test_the_chapter_on_the_linear_model_in_slip_prints_the_formula_of_its_numbers():
    """K = 10 - 0.3 since the normal force is 10 + x: (1, -0.3) [[10, 1], [1, 0]] (1, 0)."""
    belt = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=10 * y + 5 * x**2 + y * x,
        constraints=[y],
        friction=rt.friction(ddt(x) - 1, coefficient=0.3, normal=rt.reaction(y)),
    )
    linear = rt.linearize(rt.equilibrium(belt, {}))
    told = rt.derive(linear).text()
    assert "Z_left^T M Z, Z_left^T (D + G) Z, Z_left^T (K + H) Z" in told
    shown = told[told.index("    Z_left = ") :].splitlines()
    assert [float(row.split("[")[1].rstrip("]")) for row in shown[:2]] == [1, -0.3]
    assert pytest.approx(np.array([[9.7]])) == linear.K
    assert np.array([1, -0.3]) @ np.array([[10, 1], [1, 0]]) @ np.array([1, 0]) == pytest.approx(9.7)


def test_a_rest_that_would_be_pulled_is_refused():
    """On top, inside of the wall, the same equations balance with a negative normal force."""
    with pytest.raises(rt.SolveError, match=r"it cannot pull\. It is lost, or friction"):
        rt.equilibrium(bowl(2), {"mu": 0.3}, guess={y: 1})


def test_a_rest_in_which_a_brake_jams_is_refused_as_that():
    """A pad with an arm of 2: N (1 - 2 mu) = 2 has no solution for mu = 0.5, and pulls beyond."""
    turn, lever = rt.coordinates("turn lever")
    pad = rt.friction(
        ddt(turn) - 2 * ddt(lever) - 1, coefficient=mu, normal=rt.reaction(lever), name="pad"
    )
    brake = rt.System(
        kinetic=(ddt(turn) ** 2 + ddt(lever) ** 2) / 2,
        potential=2 * lever + turn**2,
        constraints=[lever],
        friction=pad,
    )
    rest = rt.equilibrium(brake, {"mu": 0.3})
    assert rest[rt.reaction(lever)] == pytest.approx(2 / 0.4)
    with pytest.raises(rt.SolveError, match="It jams there"):
        rt.equilibrium(brake, {"mu": 0.5})
    with pytest.raises(rt.SolveError, match="jam it"):
        rt.equilibrium(brake, {"mu": 0.6})


def test_what_a_zone_is_not_told_of():
    plane = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        friction=rt.friction(rt.vector(ddt(x), ddt(y)), static=1, name="plane"),
    )
    with pytest.raises(rt.DerivationError, match="plane has a direction in a plane"):
        rt.stick_zone(plane, {})
    system = bowl().changed(friction=rt.friction(ROUND, coefficient=mu, normal=abs(rt.reaction(GAP))))
    with pytest.raises(rt.DerivationError, match="presses on either side"):
        rt.stick_zone(system, {"mu": 0.3}, guess={y: -1})


def test_the_coefficient_of_a_zone_must_not_be_negative():
    with pytest.raises(rt.DeclarationError, match=r"`coefficient` of wall is -0\.1"):
        rt.stick_zone(bowl(), {"mu": -0.1}, guess={y: -1})


def test_the_curve_of_a_contact_is_drawn():
    """Both branches go through law(s), and what sticks reaches from -static to static."""
    contact = rt.friction(
        ddt(x), static=1.5, kinetic=1, stribeck=0.1, viscous=rt.parameter("b", 0.4), name="bearing"
    )
    axes = rt.plot(contact)
    speeds, forces = axes.lines[0].get_data()
    assert forces[-1] == pytest.approx(1 + 0.5 * np.exp(-25) + 0.4 * 0.5, rel=1e-12)
    assert speeds[-1] == pytest.approx(0.5)
    assert list(axes.lines[2].get_data()[1]) == [-1.5, 1.5]
    assert {text.get_text() for text in axes.texts} == {"static", "kinetic"}
    plt.close(axes.figure)
    by_normal = rt.friction(ddt(x), coefficient=0.3, normal=rt.reaction(y))
    axes = rt.plot(by_normal)
    assert axes.get_ylabel() == "force against the slip / normal force"
    assert axes.lines[0].get_data()[1][0] == pytest.approx(0.3)
    plt.close(axes.figure)
    with pytest.raises(rt.DeclarationError, match="of which no numbers are known"):
        rt.plot(rt.friction(ddt(x), coefficient=mu, normal=rt.reaction(y)))


th = rt.coordinate("th")
FLOOR, WALL = y - rt.sin(th), x - rt.cos(th)
FOOT, TOP = ddt(x + rt.cos(th)), ddt(y + rt.sin(th))


def ladder(contacts):
    """A ladder of length 2 and weight 10; (x, y) is its middle."""
    return rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2 + ddt(th) ** 2 / 6,
        potential=10 * y,
        constraints=[FLOOR, WALL],
        friction=contacts,
        name="ladder",
    )


def leaning(angle):
    return {x: np.cos(angle), y: np.sin(angle), th: angle}


def test_a_position_off_the_constraints_is_not_held():
    """The foot alone holds a ladder while tan(angle) >= 1/(2 mu)."""
    foot = rt.friction(FOOT, coefficient=0.5, normal=rt.reaction(FLOOR), name="foot")
    zone = rt.stick_zone(ladder(foot), {}, guess=leaning(1.2))
    assert zone.low[2] == pytest.approx(np.pi / 4, rel=1e-9)
    assert zone.contains(leaning(np.pi / 4 + 1e-3))
    assert not zone.contains(leaning(np.pi / 4 - 1e-3))
    assert not zone.contains({x: 5, y: 5, th: 1.2})
    with pytest.raises(rt.DerivationError, match=r"`y - sin\(th\)` is -0\.932039 and not 0"):
        zone.loads({th: 1.2})


def test_two_contacts_that_hold_one_motion_have_a_zone_of_one_dimension():
    """10 cos <= 2 static (sin + cos), by virtual work; shares of least size are too large there."""
    contacts = [rt.friction(FOOT, static=2, name="foot"), rt.friction(TOP, static=2, name="top")]
    zone = rt.stick_zone(ladder(contacts), {}, guess=leaning(1.2))
    assert zone.low[2] == pytest.approx(np.arctan(1.5), rel=1e-9)
    assert "a set of dimension 1, held by foot, top" in str(zone)
    assert zone.is_complete
    assert np.abs(zone.loads(leaning(1.0))).max() <= 1


def test_a_zone_that_depends_on_prestress_is_refused():
    ends = [(FOOT, FLOOR, "foot"), (TOP, WALL, "top")]
    rough = [rt.friction(s, coefficient=0.5, normal=rt.reaction(g), name=n) for s, g, n in ends]
    with pytest.raises(
        rt.DerivationError, match=r"foot, top hold `ladder` in more ways than one.*prest"
    ):
        rt.stick_zone(ladder(rough), {}, guess=leaning(1.2))
    walls = [rt.friction(ddt(y), coefficient=0.3, normal=rt.reaction(g)) for g in (x, -x)]
    squeezed = bowl().changed(constraints=[x, -x], friction=walls)
    with pytest.raises(rt.DerivationError, match="how hard they are pressed is not determined"):
        rt.stick_zone(squeezed, {})


def test_what_presses_a_contact_that_slips_beside_a_resting_one():
    """The slipping one leads away to y = 0.25; it must push, and on a side that is known."""

    def beside(normal):
        slips = rt.friction(ddt(y) - 1, coefficient=0.1, normal=normal, name="belt")
        return rt.System(
            kinetic=ddt(x) ** 2 + ddt(y) ** 2 + ddt(th) ** 2,
            potential=2 * x**2 + 2 * y**2 + 10 * th,
            constraints=[th],
            friction=[rt.friction(ddt(x), static=1), slips],
        )

    zone = rt.stick_zone(beside(rt.reaction(th)), {})
    assert zone.high == pytest.approx([0.25, 0.25, 0])
    with pytest.raises(rt.SolveError, match="Friction does not hold the system"):
        rt.stick_zone(beside(-rt.reaction(th)), {})
    with pytest.raises(rt.DerivationError, match="belt presses on either side"):
        rt.stick_zone(beside(abs(rt.reaction(th))), {})


def test_a_zone_in_which_a_contact_is_lost_is_refused():
    system = rt.System(
        kinetic=ddt(x) ** 2,
        potential=x**2,
        friction=rt.friction(ddt(x), coefficient=20, normal=1 - x),
    )
    with pytest.raises(rt.DerivationError, match="changes its sign where friction would hold"):
        rt.stick_zone(system, {})
