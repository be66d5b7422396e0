"""A pendulum of a hundred links, with named intermediates: large systems stay linear in size.

`let` keeps each position one symbol, so the energies do not grow like n^2 when they are written and
the engine evaluates every position once. Known answer: the lowest frequency of a long chain of n
links of length L/n tends to that of a hanging rope, (j0/2) sqrt(g/L) with j0 = 2.404826. Runs in
half a second.
"""

from __future__ import annotations

import routh as rt
from routh import cos, ddt, norm2, sin, vector

LINKS = 100

# Declare
angles = rt.coordinates(" ".join(f"theta{k}" for k in range(LINKS)))
m, l, g = rt.parameters("m l g")
r = vector(0, 0)
kinetic, potential = [], []
for k, theta in enumerate(angles):
    r = rt.let(f"r{k}", r + l * vector(sin(theta), -cos(theta)))
    kinetic.append(m / 2 * norm2(ddt(r)))
    potential.append(m * g * r[1])
chain = rt.System(kinetic=kinetic, potential=potential, name=f"{LINKS}-link pendulum")

# Solve: a rope of one metre
modes = rt.modes(rt.linearize(rt.equilibrium(chain, {"m": 1, "l": 1 / LINKS, "g": 9.81})))

# Show
if __name__ == "__main__":
    rope = 2.404825557695773 / 2 * 9.81**0.5
    print(f"lowest frequency {modes.frequencies[0]:.5f} rad/s, of a rope {rope:.5f} rad/s")
    print(f"highest frequency {modes.frequencies[-1]:.3f} rad/s; {modes.stability}")
