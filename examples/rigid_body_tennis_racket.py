"""The tennis racket in free flight: about its middle axis it turns over, again and again.

A rigid body with moments 1, 2, 3 by a quaternion, spun at 1 rad/s about the middle axis, with a
hundredth of that beside it. The kinetic energy is half of momentum times angular velocity; a constraint
keeps the quaternion of unit length. From one turning over to the next it takes 2 K(m)/n, in elliptic
integrals (Landau and Lifshitz, Mechanics, section 37).

The variational method and DOP853 with projection fly it for 120 s: what each keeps is in the table.
Momentum is kept to rounding by the first, since its steps come from an action that knows no direction.
A few seconds.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ellipk

import routh as rt

# Declare
R = rt.quaternion("e")
omega = rt.angular_velocity(R)
momentum = rt.vector(omega[0], 2 * omega[1], 3 * omega[2])
racket = rt.System(kinetic=rt.dot(momentum, omega) / 2, constraints=R.constraints, name="tennis racket")

# Solve
times = np.linspace(0, 120, 481)
start = R.start(spin=(0.01, 1.0, 0.0))
motions = {
    method: rt.simulate(racket, {}, start, times, method=method, rtol=1e-6)
    for method in ("variational", "DOP853")
}
kept = {
    method: {
        "energy": np.abs(motion.energy - motion.energy[0]).max() / motion.energy[0],
        "momentum": max(np.abs(motion[e] - motion[e][0]).max() for e in R * momentum),
        "|e|^2 - 1": 2 * motion.constraint_error,
    }
    for method, motion in motions.items()
}
twice, square = 0.01**2 + 2.0, 0.01**2 + 4.0  # of the energy, of the momentum
m = (square - twice) / (3 * twice - square)
between = 2 * ellipk(m) / np.sqrt((3 * twice - square) / 6)
spin = motions["variational"][omega[1]]
over = np.flatnonzero(spin[1:] * spin[:-1] < 0)
turns = times[over] - spin[over] * np.diff(times)[over] / np.diff(spin)[over]

# Show
if __name__ == "__main__":
    print(f"it turns over every {between:.4f} s; seen: {np.diff(turns).mean():.4f} s")
    for method, own in kept.items():
        print(f"{method:12s}" + ", ".join(f"{what} to {size:.1e}" for what, size in own.items()))
    film = rt.animate(
        motions["variational"],
        bodies=[{"box": (1.4, 1.0, 0.2), "at": rt.vector(0, 0, 0), "rotation": R}],
        arrows={"L": (rt.vector(0, 0, 0), R @ momentum), "omega": (rt.vector(0, 0, 0), R @ omega)},
        frames=[(rt.vector(0, 0, 0), R)],
        speed=4,
    )
    film.save("tennis_racket.html")
