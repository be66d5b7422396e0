"""A block on a belt sticks and slips (Leine 1998): why brakes squeal and bows sing.

The force of slip falls with its speed, F = 1/(1 + 3 s). The block rides along with the belt until the
spring pulls harder than the contact holds, slips back, and is caught again: a cycle of 12.001 s,
although nothing drives it but a belt at constant speed. Stick and slip are told apart exactly; no
smeared sign.
"""

from __future__ import annotations

import numpy as np

import routh as rt
from routh import ddt

# Declare
x, v = rt.coordinate("x"), rt.parameter("v")
belt = rt.friction(ddt(x) - v, law=lambda speed: 1 / (1 + 3 * speed), name="belt")
block = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, friction=belt, name="block on a belt")

# Solve
values = {"v": 0.2}
motion = rt.simulate(block, values, {x: 1.1}, np.linspace(0, 40, 801), rtol=1e-11)
caught = [change.t for change in motion.changes if change.state == 0]
period = caught[-1] - caught[-2]
rest = rt.equilibrium(block, values)  # the belt slides below it: an equilibrium, and an unstable one
verdict = rt.stability(rt.linearize(rest))
still = rt.System(
    kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, friction=rt.friction(ddt(x), kinetic=0.4)
)
zone = rt.stick_zone(still, {})

# Show
if __name__ == "__main__":
    print(motion)
    print(f"period {period:.9f} s")
    print(f"at rest at x = {rest.q[0]:.6g}: {verdict}")
    print(f"without the belt: {zone}")
    rt.plot(motion, against=x).figure.savefig("stick_slip.png", dpi=150)
    print("The cycle is in stick_slip.png.")
