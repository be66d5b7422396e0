"""A published optimal orbit of a power kite, flown by the same equations made of parts.

B. Houska, M. Diehl, Optimal control for power generating kites, European Control Conference 2007: a kite
of 850 kg and 500 m^2 on a straight cable of 56 mm, in a wind by the logarithmic law. The optimal orbit
of 18 s is public data of the ACADO toolkit (examples/ocp/powerkite_states.txt, powerkite_controls.txt).
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import routh as rt
from routh.models import Parts, kite, tether

# length, phi, theta, their rates, roll, lift at t = 0, 4, 9, 13, 15 s; then the constant controls of the next
# second (length'', roll', lift') and phi, theta, phi', theta' at its end
ORBIT = np.array([
    [1826.1491104133108, -6.1793768093777084e-04, 1.2482299672679698, 1.8798977497982448,
     -1.4310790791611280e-02, -3.2443876182601417e-02, -1.1192641909248593e-02, 1.5,
     1.5862461986409171, 1.4902492591136915e-02, 0.0,
     -1.5021680271098110e-02, 1.2151356111893417, -1.4922683025655359e-02, -3.1965238362123310e-02],
    [1839.0526714826281, -1.0034801791665449e-01, 1.1880899747867368, 3.9365888132308640,
     -2.0961070068700335e-02, 3.3896412881691151e-02, 1.0428682225208293e-01, 1.5,
     1.3507014172853231, -6.3782955109538296e-03, 0.0,
     -1.0040238755383307e-01, 1.2259379647164914, 1.8811653077009688e-02, 3.4144695258144550e-02],
    [1858.8536634105440, 4.3829887173387656e-02, 1.2507618197570349, 3.7732267911133195,
     3.8117950107918991e-02, 3.2165953459130335e-03, -1.4883894278358846e-02, 1.5,
     4.8754290323112498e-01, -3.8904119555630057e-02, 0.0,
     7.9941176433983643e-02, 1.2617868529086043, 3.1955707879627218e-02, 2.0506992263817952e-02],
    [1875.3522831655607, 5.5390383934324716e-02, 1.3374733509935222, 2.0431600324110422,
     -3.7947633327670913e-02, -6.5984217270579773e-03, -1.1012590709597017e-01, 1.5,
     7.9568399675889809, 1.4767608800301566e-02, 0.0,
     2.8674708591162924e-02, 1.3192286199457817, -1.2828046631486444e-02, -2.0607029401576028e-02],
    [1883.1127133334776, 2.0562775807229289e-02, 1.2993029623285626, -6.5222996965765274,
     -6.1728651885113823e-03, -1.9440707236598631e-02, -6.9893387434745283e-02, 0.1,
     -25.0, 2.5417236615991989e-02, 0.0,
     1.4971542799368322e-02, 1.2831277792130018, -5.3931080192781934e-03, -1.4382339628099830e-02],
])  # fmt: skip


def power_kite():
    """The kite in spherical coordinates, with constant controls from some moment on."""
    phi, theta = rt.coordinates("phi theta")
    names = "length0 rate0 rate1 roll0 roll1 lift0 lift1"
    l0, l1, l2, r0, r1, c0, c1 = rt.parameters(names)
    length, psi, lift = l0 + l1 * rt.t + l2 * rt.t**2 / 2, r0 + r1 * rt.t, c0 + c1 * rt.t
    along = rt.vector(
        rt.sin(theta) * rt.cos(phi), rt.sin(theta) * rt.sin(phi), rt.cos(theta)
    )  # fmt: skip
    r = sympy.ImmutableDenseMatrix(length * along)
    rho, diameter, g = 1.23, 0.05614, 9.81
    wind = kite.wind(r[2], 10, reference=100, roughness=0.1)
    apparent = wind - rt.ddt(r)
    V, across = sympy.sqrt(rt.norm2(apparent)), apparent - rt.dot(apparent, along) * along
    # there the roll is the angle of the wing with the sphere, here that about the apparent wind
    roll = sympy.asin(rt.sin(psi) * V / sympy.sqrt(rt.norm2(across)))
    parts = kite.point_mass(
        r, mass=850, area=500, density=rho, lift=lift, drag=0.04 + 0.04 * lift**2, gravity=g,
        wind=wind, roll=roll,
    )  # fmt: skip
    cable, nodes = tether.segmented(
        "n", rt.vector(0, 0, 0), r, 1, length=length, density=1450 * sympy.pi * diameter**2 / 4,
        gravity=g, rods=True,
    )  # fmt: skip
    assert nodes == ()
    # a volume of 720 m^3, and the drag of the cable as the paper has it
    parts += Parts(
        potential=(-720 * rho * g * r[2],),
        forces=(rt.force(rho * diameter / 8 * length * V * across, at=r),),
    )
    taut = Parts(kinetic=cable.kinetic, forces=cable.forces)  # its ends are length apart as written
    return (parts + taut).system(name="power kite"), (phi, theta), names.split()


def test_the_published_orbit_of_a_power_kite_is_flown():
    system, (phi, theta), names = power_kite()
    given = ORBIT.T
    values = dict(zip(names, given[[0, 3, 8, 6, 9, 7, 10]], strict=True))
    start = {phi: given[1], theta: given[2], phi.rate: given[4], theta.rate: given[5]}
    motion = rt.simulate(system, values, start, [0, 1])
    found = np.concatenate([motion.q[:, -1], motion.v[:, -1]], axis=-1)
    # theirs are integrated to 1e-6; angles go by 0.04 within the second
    assert found == pytest.approx(given[11:].T, abs=1e-6)
