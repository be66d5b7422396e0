"""Friction that its values would make drive is refused, with the contact and the word."""

import numpy as np
import pytest

import routh as rt
from routh import ddt

x, y = rt.coordinates("x y")
mu, most, beta = rt.parameters("mu most beta")
TIMES = [0.0, 0.5]


def block(weight=10, **words):
    return rt.System(
        kinetic=ddt(x) ** 2 / 2 + ddt(y) ** 2 / 2,
        potential=weight * y,
        constraints=[y],
        friction=rt.friction(ddt(x), **words),
    )


DRIVING = {
    "a coefficient": ({"coefficient": mu}, {"mu": -1.0}, "`coefficient` of .* is -1"),
    "less at rest": (
        {"coefficient": mu, "static_coefficient": most}, {"mu": 0.5, "most": 0.2}, "below the 0.5 of `coefficient`",
    ),
    "viscous": ({"coefficient": 0.1, "viscous": beta}, {"beta": -0.5}, "`viscous` of .* is -0.5"),
    "a factor of a size": (
        {"coefficient": 0.1, "normal": mu * abs(rt.reaction(y))}, {"mu": -1.0}, "`normal/Abs.* is -1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("regularize", [None, 1e-3])
@pytest.mark.parametrize("case", DRIVING)
def test_values_that_make_friction_drive_are_refused(case, regularize):
    words, values, said = DRIVING[case]
    system = block(**({"normal": rt.reaction(y)} | words))
    with pytest.raises(rt.DeclarationError, match=said):
        rt.simulate(system, values, {ddt(x): 4.0}, TIMES, regularize=regularize)


def test_a_rest_with_friction_that_drives_is_refused():
    carried = rt.System(
        kinetic=ddt(x) ** 2 / 2,
        potential=5 * x**2,
        friction=rt.friction(ddt(x) - 1, static=1, viscous=beta),
    )
    with pytest.raises(rt.DeclarationError, match=r"`viscous` of .* is -7"):
        rt.equilibrium(carried, {"beta": -7.0})


def test_one_bad_value_of_many_is_refused():
    system = block(coefficient=mu, normal=rt.reaction(y))
    with pytest.raises(rt.DeclarationError, match=r"`coefficient` of .* is -1"):
        rt.simulate(system, {"mu": np.array([0.1, -1.0])}, {ddt(x): 4.0}, TIMES, regularize=1e-3)


def test_a_smooth_motion_does_not_begin_with_a_contact_that_pulls():
    lifted = block(weight=-10, coefficient=0.3, normal=rt.reaction(y))
    with pytest.raises(rt.SolveError, match=r"is -10 at the start: .* is lost"):
        rt.simulate(lifted, {}, {ddt(x): 4.0}, TIMES, regularize=1e-3)


@pytest.mark.parametrize("normal", [abs(rt.reaction(y)) - 20, -abs(rt.reaction(y))])
def test_a_normal_force_on_either_side_is_not_negative(normal):
    with pytest.raises(rt.DeclarationError, match="which may be negative"):
        rt.friction(ddt(x), coefficient=0.1, normal=normal)


def test_a_slip_is_a_velocity():
    with pytest.raises(rt.DeclarationError, match="must not contain the force of a constraint"):
        rt.friction(ddt(x) - rt.reaction(y), static=1)


def test_a_contact_at_the_edge_of_jamming():
    """N = 2/(1 - mu h) has no value where mu h = 1."""
    w, phi, h = rt.coordinate("w"), rt.coordinate("phi"), rt.parameter("h")
    pad = rt.friction(ddt(w) + h * ddt(phi), coefficient=mu, normal=rt.reaction(phi))
    brake = rt.System(
        kinetic=ddt(w) ** 2 / 2 + ddt(phi) ** 2 / 2, potential=2 * phi, constraints=[phi], friction=pad
    )
    for off in (0.0, 1e-13, -1e-13):
        with pytest.raises(rt.SolveError, match="jam"):
            rt.simulate(brake, {"mu": 0.5 + off, "h": 2.0}, {ddt(w): 1.0}, TIMES)
    stopped = rt.simulate(brake, {"mu": 0.5 - 1e-9, "h": 2.0}, {ddt(w): 1.0}, TIMES)
    assert stopped.v[-1, 0] == 0


def test_the_word_that_was_given_is_named():
    with pytest.raises(rt.DeclarationError, match="`coefficient` must be an expression"):
        rt.friction(ddt(x), coefficient="0.3", normal=rt.reaction(y))
