"""A cart-pole swung up with the least effort: direct collocation on the function that Routh hands out.

`casadi_function` gives x' = f(t, x, u, p); three of Gauss's points per interval and a force that is
linear in each make a nonlinear program, which `casadi.Opti` gives to IPOPT. The pole hangs at the start
and stands after two seconds; what IPOPT finds is a least of the integral of F^2 among motions nearby.
Then `simulate` goes through the motion again with that force: what differs is the error of collocation.
"""

from __future__ import annotations

from pathlib import Path

import casadi
import numpy as np

import routh as rt

# Declare
model = rt.load(Path(__file__).parent / "models" / "cart_pole.toml")
system, values = model.system, model.values
function = rt.casadi_function(system)
p = [values[each.name] for each in system.parameters]
END, PIECES, LARGEST = 2.0, 40, 15.0

# Solve
h = END / PIECES
points = casadi.collocation_points(3, "legendre")
C, D, B = casadi.collocation_coeff(points)
opti = casadi.Opti()
X, F = opti.variable(4, PIECES + 1), opti.variable(1, PIECES + 1)
inner = [opti.variable(4, 3) for _ in range(PIECES)]
effort = 0
for k, middle in enumerate(inner):
    force = [F[k] + s * (F[k + 1] - F[k]) for s in points]
    rate = casadi.horzcat(*(function(0, middle[:, j], force[j], p) for j in range(3)))
    whole = casadi.horzcat(X[:, k], middle)
    opti.subject_to(whole @ C == h * rate)
    opti.subject_to(X[:, k + 1] == whole @ D)
    opti.set_initial(middle, np.repeat([0, np.pi * (1 - k / PIECES), 0, 0], 3).reshape(4, 3))
    effort += h * sum(B[j] * force[j] ** 2 for j in range(3))
opti.subject_to(X[:, 0] == casadi.DM([0, np.pi, 0, 0]))
opti.subject_to(X[:, -1] == 0)
opti.subject_to(opti.bounded(-LARGEST, F, LARGEST))
opti.set_initial(X, np.array([0, np.pi, 0, 0])[:, None] * np.linspace(1, 0, PIECES + 1))
opti.minimize(effort)
opti.solver("ipopt", {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes"})
solution = opti.solve()
times, force = np.linspace(0, END, PIECES + 1), solution.value(F)
states, least = solution.value(X), solution.value(effort)

start = {"theta": np.pi}
motion = rt.simulate(
    system,
    values,
    start,
    times,
    inputs={"F": lambda t: np.interp(t, times, force)},
    rtol=1e-10,
    atol=1e-10,
)
error = np.abs(np.column_stack([motion.q, motion.v]) - states.T).max()

# Show
if __name__ == "__main__":
    import matplotlib.pyplot as plt

    print(f"effort {least:.4f} N^2 s, largest force {np.abs(force).max():.3f} N")
    print(
        f"replayed by simulate: it ends at theta = {motion.q[-1, 1]:.2e}, apart by {error:.1e} at most"
    )
    figure, axes = plt.subplots(2, 1, sharex=True, figsize=(7, 6))
    axes[0].plot(times, motion.q, label=["x in m", "theta in rad"])
    axes[0].plot(times, states[:2].T, "k.", markersize=3)
    axes[0].legend()
    axes[1].plot(times, force)
    axes[1].set(xlabel="t in s", ylabel="F in N")
    figure.savefig("optimal_cart_pole.png", dpi=120)
