"""Painleve's rod (1895): rigid bodies with Coulomb's friction may have no motion, or two.

A rod of length 2 l slides with its lower end on a rough floor. Its normal force is
N = m (g - l w^2 sin)/(1 + 3 cos (cos - mu sin)) while the end is pushed ahead. For mu > 4/3 the
denominator becomes negative about tan(angle) = 2: then no motion agrees with its forces if the rod
turns slowly, and two do if it turns fast: it slips on, or it lifts off. Run time: two seconds.
"""

from __future__ import annotations

import numpy as np

import routh as rt
from routh import cos, ddt, sin

# Declare
x, y, angle = rt.coordinates("x y angle")
m, l, mu = rt.parameters("m l mu")
gap = y - l * sin(angle)
tip = rt.friction(ddt(x - l * cos(angle)), coefficient=mu, normal=rt.reaction(gap), name="tip")
rod = rt.System(
    kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2 + m * l**2 * ddt(angle) ** 2 / 6,
    potential=9.81 * m * y,
    constraints=[gap],
    friction=tip,
    name="rod",
)


# Solve
def begun(at, spin, slip):
    """A state whose lower end slides at this speed."""
    still = {x: 0, y: np.sin(at), angle: at}
    return still | {ddt(angle): spin, ddt(y): np.cos(at) * spin, ddt(x): slip - np.sin(at) * spin}


def told(mu, spin):
    """What comes of a start at tan(angle) = 2."""
    try:
        start = begun(np.arctan(2), spin, -1.0)
        return rt.simulate(rod, {"m": 1, "l": 1, "mu": mu}, start, [0, 1e-3]).message
    except rt.SolveError as error:
        return str(error)


answers = {(mu, spin): told(mu, spin) for mu in (1.3, 1.4) for spin in (0.0, 5.0)}

# Show
if __name__ == "__main__":
    for (coefficient, spin), answer in answers.items():
        print(f"mu = {coefficient}, turning at {spin} rad/s: {answer}")
