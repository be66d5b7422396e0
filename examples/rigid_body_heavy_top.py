"""A heavy top in three descriptions: natural coordinates, a quaternion, angles.

A body turns about a fixed point under its weight. The nine entries of the rotation matrix with six
constraints, four numbers of a quaternion with one, or three angles without any: the same motion. At
t = 1 the quaternion is (0.73294398, -0.27828572, 0.53182461, -0.32017614). Takes two seconds.
"""

import numpy as np

import routh as rt
from routh import ddt, vector

spin = (0, 150, -4.61538)  # along body axes
inertia = (0.234375, 0.46875, 0.234375)


def top(R):
    """The centre of mass is at (0, 1, 0) in the body, the fixed point at the origin."""
    r = R @ vector(0, 1, 0)
    return rt.System(
        kinetic=rt.rigid_body(15, inertia, r, R),
        potential=15 * 9.81 * r[2],
        constraints=R.constraints,
        name="heavy top",
    )


natural, e = rt.rotation_matrix("R"), rt.quaternion("e")
a, b, c = rt.coordinates("a b c")
angles = rt.euler_angles("xzy", a, b, c)
starts = {
    "natural coordinates": (natural, natural.start(spin=spin)),
    "quaternion": (e, e.start(spin=spin)),
    "angles": (angles, {ddt(a): spin[0], ddt(b): spin[2], ddt(c): spin[1]}),
}
motions = {name: rt.simulate(top(R), {}, start, [0, 1]) for name, (R, start) in starts.items()}
final = {
    name: np.array([motions[name][entry][-1] for entry in R]).reshape(3, 3)
    for name, (R, _) in starts.items()
}

if __name__ == "__main__":
    for name, motion in motions.items():
        print(f"{name}: centre at {final[name][:, 1]}, {motion.statistics.evaluations} evaluations")
    print("quaternion at t = 1:", motions["quaternion"].q[-1])
