"""A kite on a carousel that flies a loop again and again: optimal control of index 1, invariants held.

The tether is a constraint: `casadi_function(form="index 1")` has accelerations and the multiplier as
unknowns z beside the state, and its residual is zero at each of Gauss's points. phi = 0 and phi' = 0
are asked for once, at the start, and the equations keep them; so four of six states are asked to come
back, and the other two do. The flight is near a reference, a loop about trimmed flight as it is seen
from the arm, as far as little roll allows. `simulate` flies it again with that roll, and what differs
is stated.
"""

from __future__ import annotations

from pathlib import Path

import casadi
import numpy as np

import routh as rt

# Declare
model = rt.load(Path(__file__).parent / "models" / "carousel_kite.toml")
system, values = model.system, model.values
function = rt.casadi_function(system, form="index 1", inputs={"length": 6.0})
p = [values[each.name] for each in system.parameters]
trim = rt.equilibrium(
    system, values, guess={"x": 4.0, "y": -1.0, "z": -4.0}, inputs={"roll": 0.0, "length": 6.0}
)
PERIOD, PIECES = 4.0, 32

# Solve
times, h = np.linspace(0, PERIOD, PIECES + 1), PERIOD / PIECES
turn = 2 * np.pi * times / PERIOD
reference = trim.q[1:, None] + np.array([0.5 * np.sin(turn), 0.25 * np.cos(turn)])
points = casadi.collocation_points(3, "legendre")
C, D, _ = casadi.collocation_coeff(points)
opti = casadi.Opti()
X, roll = opti.variable(6, PIECES + 1), opti.variable(1, PIECES + 1)
away = casadi.sumsqr(X[1:3, :-1] - reference[:, :-1]) + 0.1 * casadi.sumsqr(roll[:-1])
for k in range(PIECES):
    middle, z = opti.variable(6, 3), opti.variable(4, 3)
    rates = []
    for j, s in enumerate(points):
        u = roll[k] + s * (roll[k + 1] - roll[k])
        found = function(t=0, x=middle[:, j], z=z[:, j], u=u, p=p)
        opti.subject_to(found["residual"] == 0)
        rates.append(found["rate"])
    whole = casadi.horzcat(X[:, k], middle)
    opti.subject_to(whole @ C == h * casadi.horzcat(*rates))
    opti.subject_to(X[:, k + 1] == whole @ D)
    opti.set_initial(middle, np.repeat([*trim.q, 0, 0, 0], 3).reshape(6, 3))
    opti.set_initial(z, np.repeat([0, 0, 0, trim.multipliers[0]], 3).reshape(4, 3))
first = function(t=0, x=X[:, 0], z=np.zeros(4), u=roll[0], p=p)
opti.subject_to(first["phi"] == 0)
opti.subject_to(first["phi_rate"] == 0)
free = [1, 2, 4, 5]  # x follows from the tether, and x' from its rate
opti.subject_to(X[free, 0] == X[free, -1])
opti.subject_to(roll[0] == roll[-1])
opti.set_initial(X, np.repeat([*trim.q, 0, 0, 0], PIECES + 1).reshape(6, PIECES + 1))
opti.minimize(away)
opti.solver("ipopt", {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes"})
solution = opti.solve()
states, rolled = solution.value(X), solution.value(roll)
closed = np.abs(states[:, 0] - states[:, -1]).max()
held = np.abs((states[:3] ** 2).sum(axis=0) - 36.0).max() / 2

names = [str(each) for each in (*system.coordinates, *system.velocities)]
start = dict(zip(names, states[:, 0], strict=True))
laws = {"length": 6.0, "roll": lambda t: np.interp(t, times, rolled)}
motion = rt.simulate(system, values, start, times, inputs=laws, rtol=1e-10, atol=1e-10)
error = np.abs(np.column_stack([motion.q, motion.v]) - states.T).max()
tension = 6.0 * motion.multipliers[:, 0]

# Show
if __name__ == "__main__":
    import matplotlib.pyplot as plt

    print(f"the loop closes to {closed:.1e}; the tether is kept to {held:.1e} at the ends of intervals")
    print(f"replayed by simulate: apart by {error:.1e} at most")
    print(f"tension from {tension.min():.2f} to {tension.max():.2f} N")
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.5))
    axes[0].plot(motion.q[:, 1], motion.q[:, 2], label="flown, by simulate")
    axes[0].plot(states[1], states[2], "k.", markersize=4, label="collocation")
    axes[0].plot(*reference, "--", label="reference")
    axes[0].set(xlabel="y in m", ylabel="z in m", aspect="equal")
    axes[0].legend(loc="upper center", bbox_to_anchor=(0.5, 1.4))
    axes[1].plot(times, np.degrees(rolled))
    axes[1].set(xlabel="t in s", ylabel="roll in degrees")
    figure.tight_layout()
    figure.savefig("optimal_kite_loop.png", dpi=120)
