"""Nouns made again of records, and linear models of matrices: what is asked of them is answered alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.io
import scipy.linalg

import routh as rt
from routh import ddt
from routh.data.recording import record

x, y, z = rt.coordinates("x y z")
SUFFIXES = (".npz", ".json", ".mat")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("handed_in", [True, False])
def test_a_rest_is_made_again(suffix, handed_in, swept, tmp_path):
    found = rt.load_result(swept.save(tmp_path / f"a{suffix}"))
    again = found.restored(swept.system) if handed_in else found.restored()
    assert (again.system is swept.system) == handed_in
    np.testing.assert_array_equal(again.q, swept.q)
    np.testing.assert_array_equal(again.conditions.p, swept.conditions.p)
    assert (again.status == swept.status).all()
    np.testing.assert_array_equal(rt.linearize(again).K, rt.linearize(swept).K)
    assert str(again) == str(swept)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_linear_model_is_made_again(suffix, linear, tmp_path):
    again = rt.load_result(linear.save(tmp_path / f"a{suffix}")).restored()
    for name in "MDGKHBZYRWS":
        np.testing.assert_array_equal(getattr(again, name), getattr(linear, name))
    np.testing.assert_array_equal(rt.modes(again).eigenvalues, rt.modes(linear).eigenvalues)
    assert str(rt.stability(again)) == str(rt.stability(linear))
    assert [str(u) for u in again.inputs] == ["F"]


def test_steady_motions_inputs_and_momenta_come_back(tmp_path):
    phi, F = rt.coordinate("phi"), rt.input("F")
    T = (ddt(x) ** 2 + (1 + x**2) * ddt(phi) ** 2) / 2
    system = rt.System(kinetic=T, potential=x**2, forces={x: F})
    for how in ({"speeds": {phi: 0.7}}, {"momenta": {phi: 0.7}}):
        rest = rt.equilibrium(system, {}, inputs={F: 0.3}, **how)
        again = rt.load_result(rest.save(tmp_path / "a.npz")).restored()
        np.testing.assert_array_equal(rt.linearize(again).K, rt.linearize(rest).K)
        assert again.turning == rest.turning
        assert [str(s) for s in again.conditions.momenta] == [str(s) for s in rest.conditions.momenta]


def test_modes_and_starts_are_made_again(linear, bob, tmp_path):
    modes = rt.modes(linear)
    again = rt.load_result(modes.save(tmp_path / "a.npz")).restored()
    np.testing.assert_array_equal(again.shapes, modes.shapes)
    start = rt.consistent(bob, {"m": 2.0}, {"x": 1.0, "y": -1.0})
    again = rt.load_result(start.save(tmp_path / "b.npz")).restored(bob)
    one, two = (rt.simulate(bob, {"m": 2.0}, each, [0, 0.1], progress=False) for each in (start, again))
    np.testing.assert_array_equal(one.q, two.q)


def test_sparse_models_are_made_again(tmp_path):
    s = rt.space("s", 0, 1)
    w = rt.field("w", over=s)
    bar = rt.System(
        kinetic=rt.integral(ddt(w) ** 2 / 2, s), potential=rt.integral(rt.diff(w, s) ** 2 / 2, s),
        constraints=[rt.at(w, s, 0)],
    )  # fmt: skip
    body = rt.discretize(bar, {w: rt.Elements(600)})
    linear = rt.linearize(rt.equilibrium(body, {}))
    assert linear.is_sparse
    found = rt.load_result(linear.save(tmp_path / "a.npz"))
    again = found.restored(body)
    assert abs(again.K - linear.K).max() == 0
    with pytest.raises(rt.DeclarationError, match=r"There is no system in this record.*is discretized"):
        found.restored()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_state_space_needs_no_system(suffix, linear, tmp_path):
    y = linear.coordinates[1]
    plant = rt.state_space(linear, ["x", 1.5 * ddt(y) + linear.inputs[0]])
    again = rt.load_result(plant.save(tmp_path / f"a{suffix}")).restored()
    for one, two in zip(plant, again, strict=True):
        np.testing.assert_array_equal(one, two)
    assert again.states == plant.states == ("x", "y", "x'", "y'")
    assert list(map(str, again.inputs)) == ["F"]
    assert list(map(str, again.outputs)) == list(map(str, plant.outputs))


def test_a_state_space_of_others_has_numbers_for_names(tmp_path):
    matrices = {
        "A": np.array([[0.0, 1], [-2, -3]]),
        "B": np.ones((2, 1)),
        "C": np.eye(2),
        "D": np.zeros((2, 1)),
    }
    scipy.io.savemat(tmp_path / "a.mat", matrices)
    plant = rt.load_result(tmp_path / "a.mat").restored()
    assert (plant.states, list(map(str, plant.inputs))) == (("x1", "x2"), ["u1"])
    np.testing.assert_array_equal(plant.A, matrices["A"])
    np.savez(tmp_path / "b.npz", **(matrices | {"B": np.ones((3, 1))}))
    with pytest.raises(rt.DeclarationError, match="do not fit each other"):
        rt.load_result(tmp_path / "b.npz").restored()


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (
            lambda r: r["motion"].restored(),
            r"A record of a Trajectory stays a record\. Made again are Equilibrium",
        ),
        (lambda r: r["linear"].restored(3), r"restored needs a System, or nothing\. Got an int"),
        (
            lambda r: r["linear"].restored(r["other"]),
            r"of another system than the system: its coordinates are x, y",
        ),
        (lambda r: r["linear"].restored(r["renamed"]), r"its parameters are c, k, m"),
    ],
)
def test_what_cannot_be_made_again_says_why(ask, told, motion, linear):
    other = rt.System(kinetic=ddt(z) ** 2 / 2, potential=z**2)
    renamed = rt.System(
        kinetic=ddt(x) ** 2 / 2 + ddt(y) ** 2, potential=x**2 + y**2, declared=[rt.parameter("b")]
    )
    given = {"motion": record(motion), "linear": record(linear), "other": other, "renamed": renamed}
    with pytest.raises(rt.DeclarationError, match=told):
        ask(given)


def altered(kept, at, array, axes=None):
    """A record in which one array, in a part of a part, is another."""
    *parts, name = at.split("/")
    if parts:
        inner = altered(kept.parts[parts[0]], "/".join([*parts[1:], name]), array, axes)
        return replace(kept, parts={**kept.parts, parts[0]: inner})
    quantity = kept.quantities.get(name, kept.values.get(name))
    changed = replace(quantity, array=np.asarray(array), axes=axes or quantity.axes)
    group = "quantities" if name in kept.quantities else "values"
    return replace(kept, **{group: {**getattr(kept, group), name: changed}})


@pytest.mark.parametrize(
    ("at", "array", "told"),
    [
        ("M", np.eye(3), r"`D` of LinearModel must be float of shape \(3, 3\)\. Got float64 of shape \(2, 2\)"),
        ("K", np.eye(2, dtype=complex), r"`K` of LinearModel must be float of shape \(2, 2\)\. Got complex128"),
        ("B", np.ones((2, 5)), r"`B` of LinearModel must be float of shape \(2, 1\)"),
        ("reference/q", np.ones(3), r"`q` of Equilibrium must be float of shape \(2,\)\. Got float64 of shape \(3,\)"),
        ("reference/q", np.array(["a", "b"]), r"`q` of Equilibrium must be float .*Got <U1"),
        ("reference/status", np.array(["FOUND"] * 2), r"a status that there is not|`status` must be of the shape"),
        ("reference/status", np.array(1.0), r"`status` in this record of an Equilibrium must be of shape \(\), of text"),
        ("reference/conditions/speeds", np.ones(5), r"`speeds` in this record of a Conditions must be of shape \(2,\)"),
        ("reference/conditions/turning", np.array([7]), r"`turning` must be places of coordinates\. Got 7"),
        ("reference/conditions/shape", np.array(3), r"`shape` in this record of a Conditions must be a row, of int"),
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit_are_not_made_again(at, array, told, linear):
    with pytest.raises(rt.DeclarationError, match=told):
        altered(record(linear), at, array).restored()


def test_parts_that_are_missing_or_many_are_told(linear):
    kept = record(linear)
    for parts, told in [
        ({}, "has no 'reference', of which it would be made"),
        ({"reference": (kept.parts["reference"],) * 2}, "`reference` .* must be one record. Got 2"),
    ]:
        with pytest.raises(rt.DeclarationError, match=told):
            replace(kept, parts=parts).restored()


@pytest.mark.parametrize("name", "ABCD")
def test_a_state_space_is_of_matrices(name, linear):
    plant = record(rt.state_space(linear))
    for array in (np.array(1.0), np.ones(2), np.array([["x"]]), np.eye(2) * 1j, np.ones((3, 4, 4))):
        with pytest.raises(rt.DeclarationError, match=r"matrix of real numbers|do not fit each other"):
            altered(plant, name, array).restored()
    left = {key: each for key, each in plant.quantities.items() if key != name}
    with pytest.raises(rt.DeclarationError, match=f"has no '{name}'"):
        replace(plant, quantities=left).restored()


def test_sparse_entries_outside_of_a_matrix_are_told():
    entries = {
        "row": np.array([0, 5]),
        "column": np.array([0, 1]),
        "value": np.ones(2),
        "shape": np.array([2, 2]),
    }
    part = rt.results.Record(
        "SparseMatrix", "", {k: rt.results.Quantity(x, ("entry",)) for k, x in entries.items()}
    )
    with pytest.raises(rt.DeclarationError, match=r"of shape \(2, 2\) has entries outside of it"):
        rt.linear_model(rt.results.Record("LinearModel", "", {}, parts={"M": part, "K": part}))


def test_a_dataset_does_not_hold_what_a_linear_model_is_made_of(linear, tmp_path):
    pytest.importorskip("xarray")
    with pytest.raises(
        rt.DeclarationError, match=r"has no 'reference'.*Save it as \.npz, \.json or \.mat"
    ):
        rt.load_result(linear.save(tmp_path / "a.nc")).restored()
