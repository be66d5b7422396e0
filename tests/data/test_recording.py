"""Every noun that holds numbers is recorded, and comes back from files bit for bit."""

from __future__ import annotations

import sys
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import routh as rt
from routh import ddt
from routh.data.contents import CONTENTS
from routh.data.recording import record
from routh.recorded import Recorded

sys.path.insert(0, str(Path(__file__).parent))
from same_records import differing, own_differing

x, y = rt.coordinates("x y")
ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
gallery = import_module("notebook_page")
sys.path.remove(str(ROOT / "docs"))

NOUNS = [getattr(rt.results, name) for name in rt.results.__all__]
WITHOUT = {
    "Animation": "pictures",
    "Record": "a record itself",
    "Quantity": "a part of one",
    "ObserverLoop": "a system; its numbers are those of its observer and regulator, which are recorded",
}
"""Nouns with arrays that are not recorded, and what they are."""


def test_every_noun_that_holds_arrays_is_recorded():
    held = {kind.__name__ for kind in NOUNS if issubclass(kind, Recorded)} - {"Record"}
    assert held == set(CONTENTS)
    arrays = {
        kind.__name__
        for kind in NOUNS
        if is_dataclass(kind) and any("Array" in str(each) for each in kind.__annotations__.values())
    }
    assert arrays - held <= set(WITHOUT)


def recorded(name):
    made = gallery.RESULTS[name]()
    return made if isinstance(made, Recorded) and not isinstance(made, rt.results.Record) else None


def held_to(result, folder):
    """A result in every file, and back."""
    made = record(result)
    for suffix in (".npz", ".json", ".mat"):
        assert differing(made, rt.load_result(result.save(folder / f"a{suffix}"))) == [], suffix
    result.save(folder / "a.csv")
    pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    for suffix in (".nc", ".zarr"):
        assert own_differing(made, rt.load_result(result.save(folder / f"a{suffix}"))) == [], suffix
    result.to_xarray()
    pytest.importorskip("pandas")
    result.to_pandas()


@pytest.mark.slow
@pytest.mark.parametrize("name", gallery.RESULTS)
def test_every_noun_comes_back_from_every_file(name, tmp_path):
    result = recorded(name)
    if result is not None:
        held_to(result, tmp_path)


@pytest.mark.slow
def test_the_gallery_has_every_noun_that_is_recorded():
    made = {type(each).__name__ for each in map(recorded, gallery.RESULTS) if each is not None}
    assert made == set(CONTENTS)


@pytest.mark.parametrize("name", ["motion", "swung", "linear", "swept"])
def test_results_come_back_from_every_file(name, request, tmp_path):
    held_to(request.getfixturevalue(name), tmp_path)


def test_a_record_holds_what_the_result_says(motion, swung, work):
    made = record(motion, [work, "c"])
    for name in ("t", "q", "v", "a", "energy", "work", "momenta", "inputs"):
        np.testing.assert_array_equal(made[name], getattr(motion, name))
    for text in ("x", "y", "x'", "y''", "F"):
        np.testing.assert_array_equal(made[text], motion[text])
    np.testing.assert_array_equal(made["x*y'"], motion["x"] * motion["y'"])
    np.testing.assert_array_equal(made["c"], np.full(6, 0.1))
    np.testing.assert_array_equal(record(swung)["lambda1"], swung.multipliers[:, 0])
    np.testing.assert_allclose(made["kinetic"] + made["potential"], made["energy"], rtol=1e-14)
    assert (made["m"], made.unit("m"), made.unit("t"), made.unit("q"), made.unit("x")) == (
        2.0,
        "kg",
        "s",
        "",
        "",
    )
    (event,) = made.parts["events"]
    assert (str(event["event"]), event["t"]) == ("passes", motion.events[0].t)
    assert made["status"] == "FINISHED"
    assert made.axes["coordinate"] == ("x", "y")
    assert made.provenance["system"] == repr(motion.system)


def test_expressions_are_given_alone_or_in_a_row(motion, work):
    for given in (work, [work], (work,)):
        np.testing.assert_array_equal(record(motion, given)["x*y'"], motion[work])
    np.testing.assert_array_equal(record(motion, "y").expressions["y"].array, motion["y"])


def test_axes_of_a_batch_are_the_parameters_that_change_along_them(swept):
    made = record(swept)
    assert made.quantities["q"].axes == ("c", "k", "coordinate")
    assert made.values["m"].axes == ()
    assert made.values["k"].axes == ("k",)
    together = record(rt.equilibrium(swept.system, {"m": [1.0, 2.0], "k": [1.0, 3.0], "c": 0.0}))
    assert together.quantities["q"].axes == ("batch", "coordinate")
    assert together.values["k"].axes == ("batch",)


def test_an_axis_of_a_batch_gives_way_to_an_axis_of_the_same_name():
    time = rt.parameter("time")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=time * x**2)
    motion = rt.simulate(system, {"time": [1.0, 2.0]}, {x: 1}, [0, 1], progress=False)
    assert record(motion).quantities["q"].axes == ("batch", "time", "coordinate")


def test_events_of_a_batch_say_of_which_run_they_are(cart):
    motion = rt.simulate(
        cart, {"m": [1.0, 2.0, 3.0], "k": 3.0, "c": 0.0}, {"x": 1.0}, [0, 0.5, 1.0], inputs={"F": 0.0},
        events=rt.event(cart.coordinates[0] - 0.9), progress=False,
    )  # fmt: skip
    runs = [each["run"].tolist() for each in record(motion).parts["events"]]
    assert runs == [[0], [1], [2]]


def test_names_that_clash_have_their_long_form():
    energy = rt.coordinate("energy")
    system = rt.System(kinetic=ddt(energy) ** 2 / 2, potential=energy**2)
    motion = rt.simulate(system, {}, {energy: 1.0}, [0, 1.0], progress=False)
    made = record(motion)
    np.testing.assert_array_equal(made["energy"], motion.energy)
    np.testing.assert_array_equal(made["q"][:, 0], motion.q[:, 0])
    assert "energy'" in made
    pytest.importorskip("pandas")
    assert {"energy", "q[energy]", "energy'"} <= set(motion.to_pandas().columns)


def test_files_do_not_tell_the_time(motion, tmp_path):
    again = rt.simulate(
        motion.system, {"m": 2.0, "k": 3.0, "c": 0.1}, {"x": 1.0}, np.linspace(0, 1, 6),
        inputs={"F": rt.sin(rt.t)}, events=motion.watched[0], progress=False,
    )  # fmt: skip
    for suffix in (".npz", ".json", ".mat", ".csv"):
        one, two = (each.save(tmp_path / f"{k}{suffix}") for k, each in enumerate((motion, again)))
        assert one.read_bytes() == two.read_bytes(), suffix


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda r: r["motion"].to_dict(expressions=["zz"]), r"'zz', which is no name"),
        (lambda r: r["linear"].to_dict(expressions=["x"]), r"Expressions are read along motions and at rests"),
        (lambda r: record(r["motion"]).to_dict(expressions=["x"]), r"no system to evaluate expressions"),
        (lambda r: record(3), r"Results of Routh are recorded\. Got an int"),
        (lambda r: record(r["motion"])["thet"], r"has no `thet`"),
        (lambda r: record(r["motion"])["energi"], r"Did you mean `energy`"),
        (lambda r: record(r["motion"]).unit("energi"), r"Did you mean `energy`"),
        (lambda r: rt.save(r["motion"], "a.toml"), r"a result writes itself: result\.save\(path\)\. Got a Traj"),
    ],
)  # fmt: skip
def test_what_cannot_be_recorded_says_why(ask, told, motion, linear):
    with pytest.raises(rt.DeclarationError, match=told):
        ask({"motion": motion, "linear": linear})
