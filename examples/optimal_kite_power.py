"""A kite that delivers the most: an eight in the sky, eight seconds long, reeled out with much pull.

A point with lift and drag, T = m |r'|^2/2 + J l'^2/(2 R^2) and V = m g z, on a tether that a drum
reels: |r| = l is a constraint of index 1, asked for once, at the start. Lift, the pull of the winch and
roll are free within bounds of size and rate. IPOPT finds the flight nearest to a circle, and from there
one of most power; others nearby have a percent less. Known answer: for any apparent wind V the force F
and the drag D of the air give F.v <= |F| w - D V, never more than Loyd's limit
rho A w^3/2 4/27 (CL^2 + CD^2)^(3/2)/CD^2 in a wind w; and what the air gives in a loop, the winch has.
`simulate` flies it again, and what differs is stated. M. L. Loyd, J. Energy 4 (1980) 106; B. Houska,
M. Diehl, European Control Conference (2007) 3560. It takes ten seconds or so.
"""

from __future__ import annotations

import casadi
import numpy as np

import routh as rt
from routh.models import kite, tether, winch

# Declare
x, y, z, length = rt.coordinates("x y z length")
lift, pull, roll = rt.inputs("lift pull roll")  # the pull in kN
m, A, rho, g, wind, R, J = 19.6, 19.8, 1.225, 9.81, 8.0, 0.3, 1.5
r, air, drag = rt.vector(x, y, z), rt.vector(wind, 0, 0), 0.1 + 0.1 * lift**2
wing = kite.point_mass(
    r, mass=m, area=A, density=rho, lift=lift, drag=drag, gravity=g, wind=air, roll=roll
)
drum = winch.drum(length, radius=R, inertia=J, torque=-1000 * R * pull)
system = (wing + tether.rigid(rt.vector(0, 0, 0), r, length) + drum).system(name="power kite")
function = rt.casadi_function(system, form="index 1")
LOYD = rho * A * wind**3 / 2 * 4 / 27 * 1.04**1.5 / 0.04  # at lift 1, the most; less lift has less
PIECES, POINTS = 40, 4

# Solve
points = casadi.collocation_points(POINTS, "legendre")
C, D, B = casadi.collocation_coeff(points)
opti = casadi.Opti()
X, U, period = opti.variable(8, PIECES + 1), opti.variable(3, PIECES + 1), opti.variable()
h, away, work = period / PIECES, 0, 0
for k in range(PIECES):
    middle, Z, rates = opti.variable(8, POINTS), opti.variable(5, POINTS), []
    for j, s in enumerate(points):
        u = U[:, k] + s * (U[:, k + 1] - U[:, k])
        found = function(t=0, x=middle[:, j], z=Z[:, j], u=u, p=[])
        opti.subject_to(found["residual"] / 100 == 0)
        rates.append(found["rate"])
        work += h * B[j] * 1000 * u[1] * middle[7, j]
    whole = casadi.horzcat(X[:, k], middle)
    opti.subject_to(whole @ C == h * casadi.horzcat(*rates))
    opti.subject_to(X[:, k + 1] == whole @ D)
    opti.subject_to(Z[4, :] >= 1)  # the tether pulls
    turn = 2 * np.pi * k / PIECES
    near = [130 - 18 * np.cos(turn), -37 * np.sin(turn), 75 + 32 * np.cos(turn), 150]
    speed = [18 * np.sin(turn), -37 * np.cos(turn), -32 * np.sin(turn), 0]
    away += casadi.sumsqr(X[:4, k] - casadi.DM(near))
    opti.set_initial(casadi.horzcat(X[:, k], middle), np.tile([*near, *speed], (POINTS + 1, 1)).T)
    opti.set_initial(Z[4, :], 20)
first = function(t=0, x=X[:, 0], z=np.zeros(5), u=U[:, 0], p=[])
free = [1, 2, 3, 5, 6, 7]  # x follows from the tether, and x' from its rate
for zero in (first["phi"], first["phi_rate"], X[1, 0], X[free, 0] - X[free, -1], U[:, 0] - U[:, -1]):
    opti.subject_to(zero == 0)
slopes = (U[:, 1:] - U[:, :-1]) / h
bounds = [(X[2, :], 50, 200), (X[3, :], 100, 200), (X[7, :], -8, 8), (period, 4, 8)]
bounds += [(U[0, :], 0, 1), (U[1, :], 0, 20), (U[2, :], -1, 1)]
bounds += [(slopes[row, :], -most, most) for row, most in enumerate((1, 10, 1))]
for bounded, least, most in bounds:
    opti.subject_to(opti.bounded(least, bounded, most))
opti.set_initial(U, np.tile([[0.6], [3], [0]], PIECES + 1))
opti.set_initial(period, 6.5)
opti.solver("ipopt", {"expand": True, "ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes"})
rough = casadi.sumsqr(U[[0, 2], 1:] - U[[0, 2], :-1])
opti.minimize(away / 100 + rough)
opti.set_initial(opti.solve().value_variables())
opti.minimize(rough - work / period / 1000)
solution = opti.solve()
states, controls, end = solution.value(X), solution.value(U), solution.value(period)
closed = np.abs(states[:, 0] - states[:, -1]).max()
held = np.abs(np.linalg.norm(states[:3], axis=0) - states[3]).max()

# Fly again, and balance by Gauss's rule: the winch has the work of the air less the growth of energy
times = np.linspace(0, end, PIECES + 1)
rows = zip((lift, pull, roll), controls, strict=True)
laws = {u: lambda t, row=row: np.interp(t, times, row) for u, row in rows}
start = dict(zip([*system.coordinates, *system.velocities], states[:, 0], strict=True))
motion = rt.simulate(system, {}, start, times, inputs=laws, rtol=1e-10, atol=1e-10)
error = np.abs(np.column_stack([motion.q, motion.v]) - states.T).max()
nodes, weights = np.polynomial.legendre.leggauss(12)
between = motion((times[:-1, None] + end / PIECES * (nodes + 1) / 2).ravel())
delivered, given = (between[each] for each in (1000 * pull * length.rate, wing.power))
won, blown = (end / PIECES / 2 * np.tile(weights, PIECES) @ each for each in (delivered, given))
energy = motion[m * (rt.norm2(rt.ddt(r)) / 2 + g * z) + J / R**2 * length.rate**2 / 2]
balance = (won - (blown - (energy[-1] - energy[0]))) / blown
power = won / end

# Show
if __name__ == "__main__":
    import matplotlib.pyplot as plt

    print(f"{power:.0f} W over {end:.3f} s, {power / LOYD:.1%} of Loyd's limit, {LOYD:.0f} W")
    print(f"the flight closes to {closed:.1e}, the tether is kept to {held:.1e} m")
    print(f"replayed by simulate: apart by {error:.1e} at most; energy balances to {balance:.1e}")
    figure, (sky, clock) = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained")
    shades = {"c": delivered / 1000, "s": 8, "cmap": "coolwarm_r", "vmin": -25, "vmax": 25}
    dots = sky.scatter(between[y], between[z], **shades)
    figure.colorbar(dots, label="power at the winch in kW", location="top")
    sky.plot(states[1], states[2], "k+", label="by collocation")
    sky.legend(loc="upper right")
    sky.set(xlabel="y in m", ylabel="height in m", aspect="equal")
    clock.plot(between.t, given / 1000, ":", label="from the air")
    clock.plot(between.t, delivered / 1000, label="at the winch")
    clock.axhline(power / 1000, linestyle="--", label="mean at the winch")
    clock.axhline(LOYD / 1000, color="k", label="Loyd's limit for the air")
    clock.set(xlabel="t in s", ylabel="power in kW")
    clock.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
    figure.savefig("optimal_kite_power.png", dpi=120)
