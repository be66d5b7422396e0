"""Small systems and results that the tests of files share."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from routh import ddt, sin, t

x, y, theta = rt.coordinates("x y theta")
m, k, c = rt.parameter("m", unit="kg"), rt.parameter("k", unit="N/m"), rt.parameter("c")
F = rt.input("F")


@pytest.fixture(scope="session")
def work():
    """An expression of the cart."""
    return x * ddt(y)


@pytest.fixture(scope="session")
def cart():
    """Two masses and an input, with damping."""
    return rt.System(
        kinetic=m * ddt(x) ** 2 / 2 + ddt(y) ** 2 / 2,
        potential=k * (y - x) ** 2 / 2 + x**2,
        dissipation=c * ddt(x) ** 2 / 2,
        forces={x: F},
        name="cart",
    )


@pytest.fixture(scope="session")
def bob():
    """A pendulum in Cartesian coordinates."""
    return rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=9.81 * m * y,
        constraints=[(x**2 + y**2 - 4) / 2],
        name="bob",
    )


@pytest.fixture(scope="session")
def motion(cart):
    values = {"m": 2.0, "k": 3.0, "c": 0.1}
    return rt.simulate(
        cart, values, {x: 1.0}, np.linspace(0, 1, 6), inputs={F: sin(t)},
        events=rt.event(x - 0.9, name="passes"), progress=False,
    )  # fmt: skip


@pytest.fixture(scope="session")
def swung(bob):
    """A motion with a multiplier."""
    return rt.simulate(bob, {"m": 0.7}, {x: 1.2, y: -1.6}, np.linspace(0, 1, 5), progress=False)


@pytest.fixture(scope="session")
def linear(cart):
    return rt.linearize(rt.equilibrium(cart, {"m": 2.0, "k": 3.0, "c": 0.1}))


@pytest.fixture(scope="session")
def swept(cart):
    """Rests over a grid of two parameters."""
    grid = {"m": 2.0, "k": np.array([1.0, 2.0, 3.0]), "c": np.array([[0.1], [0.2]])}
    return rt.equilibrium(cart, grid)
