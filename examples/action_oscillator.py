"""The action is stationary along a motion, and not always least: an oscillator beyond half a period.

L = (x'^2 - x^2)/2, whose motions x = sin(t) meet again at t = pi. Up to there every other path with the
same ends has a larger action; beyond it one direction makes it fall, by pi^2/16 - 1 = -0.38315 for the
sine of the whole span of 4. With the kinetic energy alone in its place, x'' = 0 would follow.
"""

from __future__ import annotations

import numpy as np

import routh as rt
from routh import ddt

# Declare
x, (m, k) = rt.coordinate("x"), rt.parameters("m k")
oscillator = rt.System(kinetic=m / 2 * ddt(x) ** 2, potential=k / 2 * x**2, name="oscillator")
values, start = {"m": 1, "k": 1}, {x: 0.0, ddt(x): 1.0}

# Solve
early, late = (
    rt.action(rt.simulate(oscillator, values, start, np.linspace(0, end, 201))) for end in (3.0, 4.0)
)

# Show
if __name__ == "__main__":
    print(early)
    print(late)
    print(rt.derive(late)["Second variation"])
