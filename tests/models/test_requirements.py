"""What parts of models require: a tether that runs out, signs of sizes and masses, in numbers and in
parameters, along motions, at rest and in files.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import routh as rt
from routh.models import Parts, kite, tether, winch

MODELS = Path(__file__).parents[2] / "examples" / "models"
G, M, MU, J, R, WHOLE = 9.81, 2.0, 0.5, 3.0, 0.7, 10.0
ORIGIN = rt.vector(0, 0)


def hanging(**more):
    """A weight that hangs straight on a heavy tether and unwinds it; z is its height."""
    l, x, z = rt.coordinates("l x z")
    place = rt.vector(x, z)
    line, _ = tether.segmented("n", ORIGIN, place, 1, length=l, density=MU, gravity=G, rods=True)
    parts = line + Parts(kinetic=(M / 2 * rt.norm2(rt.ddt(place)),), potential=(M * G * z,))
    given = {"radius": R, "inertia": J, "density": MU, "whole": WHOLE}
    return (parts + winch.drum(l, **(given | more))).system(name="hanging"), (l, x, z)


def run_out():
    """(M + MU W + J/R^2) l'' = (M + MU l) g from rest at l = 2: l + M/MU grows as a hyperbolic cosine."""
    rate = np.sqrt(MU * G / (M + MU * WHOLE + J / R**2))
    return np.arccosh((WHOLE + M / MU) / (2 + M / MU)) / rate


# --- the end of a tether


def test_a_motion_ends_where_the_tether_has_run_out():
    system, (l, _, z) = hanging()
    motion = rt.simulate(system, {}, {l: 2.0, z: -2.0}, np.linspace(0, 2.6, 14))
    assert motion.t[-1] == pytest.approx(run_out(), rel=1e-9)
    assert motion[l][-1] == pytest.approx(WHOLE, rel=1e-12)
    assert motion.status is rt.Status.OUTSIDE
    assert not motion.completed
    assert "the tether has run out" in motion.message
    whole = rt.simulate(system, {}, {l: 2.0, z: -2.0}, [0, 0.9 * run_out()])
    assert whole.message == "Reached the last time."


def test_an_event_that_was_asked_for_at_the_same_place_is_what_ends_it():
    system, (l, _, z) = hanging()
    asked = winch.reeled_out(l, WHOLE)
    motion = rt.simulate(system, {}, {l: 2.0, z: -2.0}, [0, 2.6], events=asked)
    assert motion.status is rt.Status.EVENT
    assert "reeled out to 10" in motion.message


def test_a_start_beyond_the_end_and_a_run_without_events_are_refused():
    system, (l, _, z) = hanging()
    with pytest.raises(rt.DeclarationError, match=r"wound up on a drum must not be negative.*is -1\."):
        rt.simulate(system, {}, {l: 11.0, z: -11.0}, [0, 0.1])
    with pytest.raises(rt.SolveError, match=r"methods without events do not end it"):
        rt.simulate(system, {}, {l: 2.0, z: -2.0}, np.linspace(0, 2.6, 14), variations=True)


@pytest.mark.parametrize(("whole", "found"), [(8.0, True), (4.0, False)])
def test_there_is_no_rest_beyond_the_end(whole, found):
    torque = -(M + MU * 6) * G * R  # holds the weight where l is 6
    system, (l, x, z) = hanging(torque=torque, whole=whole)
    guess = {l: 6.5, z: -6.5}
    box = {l: (1, 9), x: (-1, 1), z: (-9, -1)}
    if found:
        assert rt.equilibrium(system, {}, guess=guess)[l] == pytest.approx(6)
        assert len(rt.equilibria(system, {}, box)) == 1
        return
    with pytest.raises(
        rt.SolveError, match=r"a part of it does not reach.*`4\.0 - l` is -2"
    ) as refused:
        rt.equilibrium(system, {}, guess=guess)
    assert refused.value.result.status is rt.Status.OUTSIDE
    every = rt.equilibria(system, {}, box)
    assert len(every) == 0
    assert "Left out: 1 position of balance" in every.completeness


def test_a_batch_of_rests_says_which_are_beyond_and_a_branch_is_not_followed_there():
    W = rt.parameter("W")
    torque = rt.parameter("torque")
    system, (l, _, z) = hanging(torque=-torque, whole=W)
    held = (M + MU * 6) * G * R
    guess = {l: 6.0, z: -6.0}
    rest = rt.equilibrium(system, {"W": [8, 4], "torque": held}, guess=guess)
    assert rest.converged.tolist() == [True, False]
    assert rest.status[1] is rt.Status.OUTSIDE
    one = rt.equilibrium(system, {"W": 8, "torque": held}, guess=guess)
    more = (M + MU * 7.5) * G * R
    assert rt.follow(one, "torque", more).rest[l][-1] == pytest.approx(7.5)
    with pytest.raises(rt.SolveError, match=r"leaves what a part of it reaches"):
        rt.follow(one, "torque", (M + MU * 9) * G * R)
    with pytest.raises(rt.DeclarationError, match=r"`whole` of a drum must be positive"):
        rt.follow(one, "W", -1)


def test_a_model_file_ends_there_without_asking_and_is_written_with_it(tmp_path):
    text = (MODELS / "winch_weight.toml").read_text(encoding="utf-8").replace(', ends = ["W - l"]', "")
    model = rt.load(text)
    run = (np.linspace(0, 5, 51), model.laws)
    again = rt.load(rt.save(model.system, tmp_path / "written.toml", values=model.values))
    for own in (model, again):
        start = {str(x): number for x, number in model.start.items()}
        laws = {str(u): law for u, law in run[1].items()}
        motion = rt.simulate(own.system, own.values | {"W": 7.0}, start, run[0], inputs=laws)
        assert motion.status is rt.Status.OUTSIDE
        assert motion["l"][-1] == pytest.approx(7, rel=1e-9)
        with pytest.raises(
            rt.DeclarationError, match=r"`radius` of a drum must be positive: `R` is -0\.3"
        ):
            rt.simulate(own.system, own.values | {"R": -0.3}, start, run[0], inputs=laws)


def test_contacts_with_friction_do_not_hide_the_end():
    l = rt.coordinate("l")
    drum = winch.drum(l, radius=1, inertia=1, density=0.5, whole=3)
    push = Parts(potential=(-5 * l,))
    system = (drum + push).system(friction=rt.friction(rt.ddt(l), static=1.0))
    motion = rt.simulate(system, {}, {l: 1.0}, np.linspace(0, 3, 7))
    # (1 + 0.5 (3 - l)) l'' - l'^2/2 + l'^2/2 = 4 by hand: l' dl'/dl = 4/(2.5 - l/2)
    assert motion.status is rt.Status.OUTSIDE
    assert motion.v[-1, 0] == pytest.approx(np.sqrt(16 * np.log(2.0)), rel=1e-7)


# --- signs


r3 = rt.vector(*rt.coordinates("x y z"))
l, u = rt.coordinate("l"), rt.input("u")
O3 = rt.vector(0, 0, 0)
WING = {"mass": 1, "area": 1, "density": 1, "gravity": G}
POINT = WING | {"lift": 1, "drag": 0.1}
RIGID = WING | {"inertia": (1, 1, 1), "span": 1, "chord": 1, "coefficients": kite.AEROSONDE}
LINE = {"length": 3, "density": 1, "gravity": G}
DRUM = {"radius": 1, "inertia": 1}
WOUND = DRUM | {"density": 0.1, "whole": 5}
DRAG = {"diameter": 1, "density": 1, "coefficient": 1}
nan, inf = float("nan"), float("inf")


def rotated():
    return rt.rotation_matrix("R")


REFUSED = {
    "tether of negative density": (
        lambda: tether.segmented("n", O3, r3, 2, **(LINE | {"density": -1})),
        r"`density` of a tether must not be negative\. Got -1\.",
    ),
    "rod of negative mass": (lambda: tether.rod(O3, r3, -1, G), r"`mass` of a tether must not be neg"),
    "drag of negative diameter": (
        lambda: tether.drag(O3, r3, **(DRAG | {"diameter": -1})),
        r"`diameter` of drag on a tether must not be negative",
    ),
    "wind in the plane for a tether in space": (
        lambda: tether.drag(O3, r3, **DRAG, wind=rt.vector(1, 2)),
        r"`wind` of a tether has 3 components here\. Got 2",
    ),
    "wind by height in the plane": (
        lambda: tether.drag(O3, r3, **DRAG, wind=lambda z: rt.vector(z, 0)),
        r"at a height, has 3 components here\. Got 2",
    ),
    "length that is no number": (lambda: tether.rigid(O3, r3, nan), r"must be a finite real number"),
    "stiffness that is no number": (
        lambda: tether.elastic(O3, r3, 1, nan),
        r"`stiffness` of a tether must be a finite real number",
    ),
    "pieces that are none": (
        lambda: tether.segmented("n", O3, r3, True, **LINE),
        r"one piece at least",
    ),
    "rods by a word": (
        lambda: tether.segmented("n", O3, r3, 2, **LINE, rods="no"),
        r"`rods` must be True or False\. Got 'no'",
    ),
    "kite of negative mass": (
        lambda: kite.point_mass(r3, **(POINT | {"mass": -1})),
        r"`mass` of a kite must not be negative",
    ),
    "kite of negative drag": (
        lambda: kite.point_mass(r3, **(POINT | {"drag": -0.1})),
        r"`drag` of a kite must not be negative\. Got -0\.1\.",
    ),
    "kite of negative area": (
        lambda: kite.point_mass(r3, **(POINT | {"area": -1})),
        r"`area` of a kite must be positive",
    ),
    "wind of two components for a kite": (
        lambda: kite.point_mass(r3, **POINT, wind=rt.vector(1, 2)),
        r"`wind` of a kite has three components.*Got 2",
    ),
    "kite in the plane": (
        lambda: kite.rigid(rt.vector(1, l), rotated(), **RIGID),
        r"position of a kite has three components.*Got 2",
    ),
    "kite without span": (
        lambda: kite.rigid(r3, rotated(), **(RIGID | {"span": 0})),
        r"`span` of a kite must be positive",
    ),
    "kite without coefficients": (
        lambda: kite.rigid(r3, rotated(), **(RIGID | {"coefficients": None})),
        r"`coefficients` are Aerodynamics.*Got a NoneType",
    ),
    "moments that no matter has": (
        lambda: kite.rigid(r3, rotated(), **(RIGID | {"inertia": (1, 1, 5)})),
        r"none is larger than both others together\. Got 1, 1 and 5",
    ),
    "tensor that no matter has": (
        lambda: kite.rigid(r3, rotated(), **(RIGID | {"inertia": [[3, 0, 0], [0, 3, 2], [0, 2, 3]]})),
        r"Got 1, 3 and 5",
    ),
    "height that is no number": (lambda: kite.wind(nan, 8), r"`height` must be positive\. Got nan"),
    "radius that is no number": (
        lambda: winch.drum(l, **(DRUM | {"radius": nan})),
        r"`radius` of a drum must be a finite real number",
    ),
    "endless inertia": (
        lambda: winch.drum(l, **(DRUM | {"inertia": inf})),
        r"`inertia` of a drum must be a finite real number",
    ),
    "inertia that moves": (
        lambda: winch.drum(l, **(DRUM | {"inertia": l})),
        r"`inertia` of a drum must be constant\. Got l",
    ),
    "density that moves": (
        lambda: winch.drum(l, **(WOUND | {"density": l})),
        r"`density` of a drum must be constant\. Got l",
    ),
    "whole that is an input": (
        lambda: winch.drum(l, **(WOUND | {"whole": u})),
        r"`whole` of a drum must be constant\. Got u",
    ),
    "negative whole": (
        lambda: winch.drum(l, **(WOUND | {"whole": -3})),
        r"`whole` of a drum must be positive\. Got -3",
    ),
    "rate as length": (lambda: winch.drum(rt.ddt(l), **DRUM), r"with the rate `l'`"),
    "reeled in a constant": (lambda: winch.reeled_in(3, 1), r"a length that changes\. Got 3"),
    "reeled out to no number": (
        lambda: winch.reeled_out(l, nan),
        r"`most` of a tether must be a finite real number",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_numbers_of_the_wrong_sign_are_refused(case):
    make, sentence = REFUSED[case]
    with pytest.raises(rt.DeclarationError, match=sentence):
        make()


a = rt.parameter("a")
IN_PARAMETERS = {
    "density of a tether": tether.segmented("n", O3, r3, 1, **(LINE | {"density": a}))[0],
    "length of a tether": tether.rigid(O3, r3, a),
    "stiffness of a tether": tether.elastic(O3, r3, 1, a),
    "damping of a tether": tether.elastic(O3, r3, 1, 1, damping=a),
    "mass of a tether": tether.rod(O3, r3, 1 + a, G),
    "drag of a tether": tether.drag(O3, r3, **(DRAG | {"diameter": a})),
    "mass of a kite": kite.point_mass(r3, **(POINT | {"mass": 1 + 2 * a})),
    "area of a kite": kite.point_mass(r3, **(POINT | {"area": a})),
    "moment of a kite": kite.rigid(r3, rotated(), **(RIGID | {"inertia": (a, 1, 1)})),
    "span of a kite": kite.rigid(r3, rotated(), **(RIGID | {"span": a})),
    "radius of a drum": winch.drum(l, **(DRUM | {"radius": a})),
    "inertia of a drum": winch.drum(l, **(DRUM | {"inertia": a})),
}


@pytest.mark.parametrize("case", IN_PARAMETERS)
def test_values_of_the_wrong_sign_are_refused_at_the_door(case):
    mass = Parts(kinetic=(rt.norm2(rt.ddt(r3)) / 2,))
    system = (IN_PARAMETERS[case] + mass).system()
    start = {"x": 1.0, "y": 0.5, "z": -1.0, "l": 1.0}
    start = {name: x for name, x in start.items() if name in map(str, system.coordinates)}
    with pytest.raises(
        rt.DeclarationError, match=r"must (be positive|not be negative): `.*`a` in `values`"
    ):
        rt.simulate(system, {"a": -2.0}, start, [0, 1e-3])
    with pytest.raises(rt.DeclarationError, match=r"must (be positive|not be negative)"):
        rt.equilibrium(system, {"a": np.array([1.0, -2.0])})


def test_what_is_required_goes_along_with_systems_that_are_made_of_one():
    W = rt.parameter("W")
    system, _ = hanging(whole=W)
    sizes = [each.what for each in system.requirements]
    assert sizes == ["The `whole` of a drum", "What is wound up on a drum"]
    assert system.changed(name="other").requirements == system.requirements
    bare = rt.System(kinetic=rt.ddt(l) ** 2 / 2, requirements=system.requirements)
    assert bare.requirements == ()  # no part of it contains what these are about
    with pytest.raises(rt.DeclarationError, match=r"`requirements` are what parts of `models` bring"):
        rt.System(kinetic=rt.ddt(l) ** 2 / 2, requirements=[l])


def test_numbers_of_numpy_are_numbers():
    assert len(tether.segmented("n", O3, r3, np.int64(2), **LINE)[1]) == 1
    assert (
        winch.drum(l, radius=np.float64(2), inertia=np.int64(4)).kinetic[0].coeff(rt.ddt(l), 2) == 0.5
    )
