"""Files of results by suffix, and what ends in a sentence: cut, made up, huge, of others."""

from __future__ import annotations

import io
import json
import os
import pickle
import shutil
import subprocess
import zipfile

import numpy as np
import pytest
import scipy.io

import routh as rt
from routh.data import archives, sources
from routh.errors import WriteError

SUFFIXES = (".npz", ".json", ".mat", ".csv")


def refused(path, told):
    with pytest.raises(rt.DeclarationError, match=told):
        rt.load_result(path)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("motion.pkl", r"\.npz, \.json, \.csv, \.mat, \.nc, \.zarr\. Got 'motion\.pkl'"),
        ("motion.npy", r"Did you mean `\.npz`"),
        ("motion", r"The suffix of a file says its form"),
        (3, r'like "motion\.npz"\. Got an int'),
        ("nowhere/motion.npz", r"There is no folder 'nowhere'"),
    ],
)
def test_bad_paths_are_refused_before_work(path, told, motion):
    with pytest.raises(rt.DeclarationError, match=told):
        motion.save(path)


def test_bad_paths_are_refused_when_reading(tmp_path):
    refused(tmp_path / "a.npz", "There is no file")
    (tmp_path / "b.npz").mkdir()
    refused(tmp_path / "b.npz", "is a folder")
    (tmp_path / "c.zarr").write_text("")
    refused(tmp_path / "c.zarr", "no folder, as a store of zarr is")


def test_a_file_is_replaced_whole_or_not_at_all(motion, tmp_path):
    path = motion.save(tmp_path / "a.npz")
    before = path.read_bytes()
    motion.save(path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.npz"]


@pytest.mark.parametrize("suffix", [".npz", ".json", ".mat"])
def test_cut_files_end_in_a_sentence(suffix, motion, tmp_path):
    whole = motion.save(tmp_path / f"a{suffix}").read_bytes()
    cut = tmp_path / f"cut{suffix}"
    for share in (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999):
        cut.write_bytes(whole[: int(share * len(whole))])
        refused(cut, "cut|damaged|no JSON|no result")


@pytest.mark.parametrize("suffix", [".npz", ".json", ".mat", ".csv"])
def test_damaged_files_end_in_a_sentence_or_in_numbers(suffix, linear, tmp_path):
    whole = bytearray(linear.save(tmp_path / f"a{suffix}").read_bytes())
    path = tmp_path / f"b{suffix}"
    rng = np.random.default_rng(5)
    for _ in range(60):
        bad = whole.copy()
        for place in rng.integers(0, len(bad), 3):
            bad[place] = rng.integers(0, 256)
        path.write_bytes(bad)
        try:
            rt.load_result(path)
        except rt.DeclarationError:
            continue


class Ran:
    """What would run when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("it_ran",)


def test_pickles_are_not_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hostile = np.empty(1, dtype=object)
    hostile[0] = Ran()
    np.savez("a.npz", a=hostile)
    refused("a.npz", "arrays of Python objects")
    (tmp_path / "b.npz").write_bytes(pickle.dumps(Ran()))
    refused("b.npz", "no whole .npz archive")
    member = io.BytesIO()
    np.lib.format.write_array(member, hostile)
    with zipfile.ZipFile("c.npz", "w") as archive:
        archive.writestr("about.npy", member.getvalue())
    refused("c.npz", "arrays of Python objects")
    assert not (tmp_path / "it_ran").exists()


def test_records_of_numpy_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", a=np.zeros(2, dtype=[("x", float)]))
    refused(tmp_path / "a.npz", r"`a` .* is an array of .*Expected numbers")


def test_what_unpacks_to_too_much_is_refused(linear, tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", bytes(10**7))
    paths = [linear.save(tmp_path / f"a{suffix}") for suffix in (".npz", ".json", ".mat", ".csv")]
    monkeypatch.setattr(archives, "MOST", 200)
    for path in (*paths, tmp_path / "bomb.npz"):
        refused(path, "more than the .* GiB that are read at once")


def test_a_header_that_promises_too_much_is_refused(tmp_path):
    member = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        member, {"shape": (2**40,), "fortran_order": False, "descr": "<f8"}
    )
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("a.npy", member.getvalue())
    refused(tmp_path / "a.npz", "no whole .npz archive")


def changed(path, change):
    """A JSON file with something changed."""
    said = json.loads(path.read_text())
    change(said)
    path.write_text(json.dumps(said))
    return path


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda s: s.update(version=99), r"has the form 99 of files, and this version of Routh reads the form 1"),
        (lambda s: s.update(version="x"), r"has the form 'x'"),
        (lambda s: s.update(format="other"), "no result that Routh wrote"),
        (lambda s: s.update(kind=3), r"is damaged: kind"),
        (lambda s: s.update(more=3), r"is damaged: more"),
        (lambda s: s["quantities"]["M"].update(shape=[3, 3]), r"`M` in .* is not what the file says of it: float"),
        (lambda s: s["quantities"]["M"].update(shape=[-1, 2]), r"is damaged|not what the file says"),
        (lambda s: s["quantities"]["M"].update(axes=["one"]), r"has 2 axes, and 1 names"),
        (lambda s: s["quantities"]["M"].update(data="text"), r"`M` in .* is not what"),
        (lambda s: s["quantities"]["M"].update(data=[[1.0], [1.0, 2.0]]), r"`M` in .* is not what"),
        (lambda s: s["quantities"]["M"].update(type="int"), r"`M` in .* is not what"),
        (lambda s: s["quantities"]["M"].update(type="object"), r"is damaged: quantities\.M\.type"),
        (lambda s: s["quantities"]["M"].update(data=None), r"`M` in .* is not what"),
        (lambda s: s["parts"].update(reference=3), r"is damaged: parts\.reference"),
        (lambda s: s["quantities"]["M"].update(shape=[1, 4], data=[[1.0] * 4]), r"axis `eta\w*` has \d places, and elsewhere"),
        (lambda s: s["quantities"]["M"].update(axes=["eta", "eta"]), r"`M` .* is damaged: it needs a name, and a name of its own for"),
        (lambda s: s["quantities"]["M"].update(axes=["eta", ""]), r"a name of its own for each axis"),
        (lambda s: s["quantities"].update({"": s["quantities"]["M"]}), r"it needs a name"),
        (lambda s: s["values"].update(m={"type": "text", "shape": [], "axes": [], "data": "x"}), r"`m` .* values of parameters are real"),
        (lambda s: s["quantities"].update(Q={"type": "float", "shape": [0, 10**12], "axes": ["i", "j"], "data": []}), r"`Q` in .* is not what"),
    ],
)  # fmt: skip
def test_made_up_manifests_end_in_a_sentence(change, told, linear, tmp_path):
    refused(changed(linear.save(tmp_path / "a.json"), change), told)


def test_parts_nested_too_deep_are_told_in_short(tmp_path):
    inner = '{"a": {"kind": "X", "parts": ' * 400 + "{}" + "}}" * 400
    path = tmp_path / "a.json"
    path.write_text(f'{{"format": "routh result", "version": 1, "kind": "X", "parts": {inner}}}')
    with pytest.raises(rt.DeclarationError, match=r"is damaged|no JSON") as told:
        rt.load_result(path)
    assert len(str(told.value)) < 400 + len(str(path))


def test_what_is_no_file_is_not_read(tmp_path, motion, monkeypatch):
    os.mkfifo(tmp_path / "pipe.npz")  # reading it would wait without end
    refused(tmp_path / "pipe.npz", "is a pipe or a device")
    refused("a" * 5000 + ".npz", "was not read: File name too long")
    path = motion.save(tmp_path / "a.npz")
    monkeypatch.setattr(os, "access", lambda *_: False)
    refused(path, "may not be read")


def test_halves_of_characters_are_not_written(tmp_path):
    made = rt.results.Record("Arrays", "", {"a": rt.results.Quantity(np.array(["\ud800"]), ("k",))})
    for suffix in (".csv", ".mat"):
        path = tmp_path / f"a{suffix}"
        path.write_text("before")
        with pytest.raises(WriteError, match="halves of characters"):
            made.save(path)
        assert path.read_text() == "before"


def test_texts_that_are_no_results(tmp_path):
    path = tmp_path / "a.json"
    for text, told in [
        ("", "no JSON"), ("[1, 2]", "no result"), ("{}", "no result"), ("[" * 100_000, "no JSON"),
        ('{"format": "routh result"}', "has the form None"), ("1" * 10_000, "no JSON|no result"),
    ]:  # fmt: skip
        path.write_text(text)
        refused(path, told)
    path.write_bytes(b"\xff\xfe\x00")
    refused(path, "no text in UTF-8")


def test_arrays_of_others_have_their_names(tmp_path):
    np.savez(tmp_path / "a.npz", A=np.eye(2), n=3, name="box")
    found = rt.load_result(tmp_path / "a.npz")
    assert (found.kind, found["n"], found["name"]) == ("Arrays", 3, "box")
    np.testing.assert_array_equal(found["A"], np.eye(2))
    inside = {"A": np.eye(2), "sub": {"b": [1.0, 2.0]}, "words": np.array(["a", "bc"], dtype=object)}
    scipy.io.savemat(tmp_path / "a.mat", {"plant": inside, "x": 1.5})
    found = rt.load_result(tmp_path / "a.mat")
    np.testing.assert_array_equal(found["plant.sub.b"], [[1.0, 2.0]])
    assert (found["x"].item(), found["plant.words"].tolist()) == (1.5, ["a", "bc"])


def test_numbers_of_others_are_kept_or_refused(tmp_path):
    path = tmp_path / "a.npz"
    small = np.array([1, 0.1, np.nan, np.inf], dtype=np.float16)
    np.savez(path, h=small, u=np.array([2**63 - 1], dtype=np.uint64), z=np.complex64([1 + 0.1j]))
    found = rt.load_result(path)
    np.testing.assert_array_equal(found["h"], small.astype(float))
    assert [found[name].dtype for name in "huz"] == [np.float64, np.int64, np.complex128]
    for suffix in (".npz", ".json", ".mat"):
        back = rt.load_result(found.save(tmp_path / f"b{suffix}"))
        assert all(back[name].tobytes() == found[name].tobytes() for name in "huz")
    np.savez(path, u=np.array([2**63], dtype=np.uint64))
    refused(path, "`u` .* numbers of uint64 that no double and no whole number")
    if np.finfo(np.longdouble).nmant > np.finfo(float).nmant:
        np.savez(path, w=np.longdouble(1) + np.finfo(np.longdouble).eps)
        refused(path, "`w` .* numbers of ")
    np.savez(path, e=np.zeros((0, 10**12)))
    refused(path, "`e` .* is empty, and of shape")


def test_a_text_of_others_called_about_is_theirs(tmp_path):
    np.savez(tmp_path / "a.npz", about="measured on Monday", x=[1.0, 2.0])
    found = rt.load_result(tmp_path / "a.npz")
    assert (found.kind, str(found["about"])) == ("Arrays", "measured on Monday")
    assert "a record of arrays" in str(found)


def test_tables_of_others_have_their_columns(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("\ufeff,z.real,z.imag,z,serial\n0,1,2,3,1_000\n", encoding="utf-8")
    found = rt.load_result(path)
    assert list(found) == ["column_1", "z.real", "z.imag", "z", "serial"]
    assert [found[name].tolist() for name in found] == [[0], [1], [2], [3], ["1_000"]]


def test_a_mat_file_of_version_7_3_says_what_to_do(tmp_path):
    head = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    (tmp_path / "a.mat").write_bytes(head + b"\x89HDF\r\n\x1a\n" + bytes(100))
    refused(tmp_path / "a.mat", r"version 7\.3|no whole|cut")


def test_a_table_comes_back_by_its_columns(motion, work, tmp_path):
    path = motion.save(tmp_path / "a.csv", expressions=work)
    found = rt.load_result(path)
    for name in ("t", "x", "y'", "x''", "F", "energy"):
        np.testing.assert_array_equal(
            found[name], motion[name] if name not in ("t", "energy") else getattr(motion, name)
        )
    np.testing.assert_array_equal(found["x*y'"], motion[work])
    assert (found.kind, found["m"], found.unit("t")) == ("Trajectory", 2.0, "s")
    numbers = np.genfromtxt(path, delimiter=",", names=True, skip_header=2, deletechars="")
    np.testing.assert_array_equal(numbers["x"], motion["x"])


def test_complex_columns_are_two_in_a_table(linear, tmp_path):
    response = rt.frequency_response(linear, "F", ["x"], [0.5, 1.0, 2.0])
    path = response.save(tmp_path / "a.csv")
    assert "transfer[x].real,transfer[x].imag" in path.read_text()
    np.testing.assert_array_equal(rt.load_result(path)["transfer[x]"], response.transfer[:, 0])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is no table"),
        ("a,a\n1,2\n", "is no table"),
        ("a,b\n1,2\n3\n", "Row 2 of .* has 1 entries, and 2 columns"),
        ("# {\"format\": \"routh result\", [\na,b\n1\n", "Row 1"),
    ],
)  # fmt: skip
def test_tables_that_are_none(text, told, tmp_path):
    (tmp_path / "a.csv").write_text(text)
    refused(tmp_path / "a.csv", told)


def test_numbers_that_json_has_not_are_texts(tmp_path):
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324, 0.1])
    made = rt.results.Record("Arrays", "", {"a": rt.results.Quantity(special, ("k",))})
    text = made.to_json()
    assert json.loads(text, parse_constant=lambda _: 1 / 0)["quantities"]["a"]["data"][:3] == [
        "NaN",
        "Infinity",
        "-Infinity",
    ]
    for suffix in (".json", ".npz", ".mat"):
        back = rt.load_result(made.save(tmp_path / f"a{suffix}"))["a"]
        assert back.tobytes() == special.tobytes()
    assert made.to_dict()["quantities"]["a"]["data"][1] == np.inf


def test_names_that_matlab_does_not_take_are_mapped(tmp_path):
    names = ["x'", "x''", "θ", "φ", "end", "a b", "a_b", "_", "1", "n" * 70, "n" * 71]
    arrays = {name: rt.results.Quantity(np.array(float(k))) for k, name in enumerate(names)}
    made = rt.results.Record(
        "Arrays", "", arrays, expressions={"x/2": rt.results.Quantity(np.array(7.0))}
    )
    path = made.save(tmp_path / "a.mat")
    inside = [name for name in scipy.io.loadmat(path) if not name.startswith("__")]
    assert all(name.isidentifier() and name.isascii() and len(name) <= 31 for name in inside)
    back = rt.load_result(path)
    assert [float(back[name]) for name in [*names, "x/2"]] == [*range(len(names)), 7.0]


def test_the_form_of_files_is_counted():
    assert sources.FORMAT == 1


@pytest.mark.slow
def test_octave_reads_what_is_written_and_we_what_octave_writes(linear, motion, tmp_path):
    octave = shutil.which("octave-cli") or shutil.which("octave")
    if octave is None:
        pytest.skip("there is no Octave on this machine")
    linear.save(tmp_path / "a.mat")
    motion.save(tmp_path / "m.mat")
    script = (
        "s = load('a.mat'); m = load('m.mat');"
        "M = s.M; K = s.K; C = s.D + s.G; m0 = s.reference.values.m; x = m.q(:, 1);"
        "w = m.status; save('-v7', 'b.mat', 'M', 'K', 'C', 'm0', 'x', 'w');"
    )
    subprocess.run(
        [octave, "--no-gui", "--quiet", "--eval", script], check=True, cwd=tmp_path, capture_output=True
    )
    found = rt.load_result(tmp_path / "b.mat")
    np.testing.assert_array_equal(found["K"], linear.K)
    np.testing.assert_array_equal(found["x"][:, 0], motion["x"])
    assert (found["m0"].item(), found["w"].item()) == (2.0, "FINISHED")
    np.testing.assert_array_equal(rt.linear_model(found).D, linear.D)
