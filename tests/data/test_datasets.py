"""Datasets of xarray and tables of pandas: names, labels, units; and stores that are not trusted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from same_records import own_differing

import routh as rt
from routh.data.recording import record

xarray = pytest.importorskip("xarray")
pandas = pytest.importorskip("pandas")


def test_a_dataset_is_asked_by_names(motion, swept, work):
    data = motion.to_xarray(expressions=[work])
    np.testing.assert_array_equal(data["q"].sel(coordinate="y"), motion["y"])
    np.testing.assert_array_equal(data["time"], motion.t)
    np.testing.assert_array_equal(data["x*y'"], motion[work])
    assert (data["time"].attrs["units"], float(data["m"]), data["m"].attrs["units"]) == ("s", 2.0, "kg")
    assert data.attrs["kind"] == "Trajectory"
    grid = swept.to_xarray()
    assert grid["q"].dims == ("c", "k", "coordinate")
    np.testing.assert_array_equal(grid["k"], [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(grid["q"].sel(c=0.2, k=3.0), swept.q[1, 2])


def test_a_table_is_asked_by_names(motion, swept, linear):
    table = motion.to_pandas()
    assert table.index.name == "t"
    assert list(table.columns[:6]) == ["x", "y", "x'", "y'", "x''", "y''"]
    np.testing.assert_array_equal(table["energy"], motion.energy)
    modes = rt.modes(rt.linearize(swept)).to_pandas()
    assert modes.index.names == ["c", "k", "mode"]
    found = modes.loc[(0.2, 3.0, 1)]["frequencies"]
    assert found == rt.modes(rt.linearize(swept)).frequencies[1, 2, 1]
    entries = linear.to_pandas().set_index("name")["value"]
    assert entries["K[x, y]"] == linear.K[0, 1] == -3.0


def test_a_table_is_read_by_pandas_alone(motion, tmp_path):
    table = pandas.read_csv(motion.save(tmp_path / "a.csv"), comment="#")
    np.testing.assert_allclose(table["x'"], motion["x'"], rtol=1e-15)  # pandas rounds as it likes


def test_a_file_is_read_by_xarray_alone(motion, tmp_path):
    path = motion.save(tmp_path / "a.nc")
    with xarray.open_dataset(path) as data:
        np.testing.assert_array_equal(data["q"].sel(coordinate="x"), motion["x"])
        np.testing.assert_array_equal(data["time"], motion.t)


@pytest.mark.parametrize("suffix", [".nc", ".zarr", ".mat", ".npz", ".json"])
def test_names_in_greek_come_back(suffix, tmp_path):
    a, b, mu = rt.coordinate("λ"), rt.coordinate("θ_é"), rt.parameter("μ")
    system = rt.System(kinetic=mu * (rt.ddt(a) ** 2 + rt.ddt(b) ** 2) / 2, potential=a**2 + b**2)
    motion = rt.simulate(system, {mu: np.array([1.0, 2.0])}, {a: 1.0}, [0, 1, 2], progress=False)
    path = motion.save(tmp_path / f"a{suffix}", expressions=[a * b])
    assert own_differing(record(motion, [a * b]), rt.load_result(path)) == []
    if suffix in (".nc", ".zarr"):
        how = {"engine": "zarr", "consolidated": False} if suffix == ".zarr" else {}
        with xarray.open_dataset(path, **how) as data:
            np.testing.assert_array_equal(data["mu"], [1.0, 2.0])
            np.testing.assert_array_equal(data["q"].sel(coordinate="λ"), motion["λ"])


def test_whole_numbers_beyond_32_bits_come_back_from_netcdf(tmp_path):
    far = np.array([2**40, -(2**62), 5])
    made = rt.results.Record("Arrays", "", {"far": rt.results.Quantity(far, ("k",))})
    back = rt.load_result(made.save(tmp_path / "a.nc"))["far"]
    assert (back.tolist(), back.dtype) == (far.tolist(), np.int64)


def test_datasets_of_others_have_their_names(tmp_path):
    data = xarray.Dataset({"h": (("time",), [1.0, 2.0], {"units": "m"})}, coords={"time": [0.0, 1.0]})
    data.to_netcdf(tmp_path / "a.nc", engine="scipy")
    found = rt.load_result(tmp_path / "a.nc")
    assert (found.kind, found.unit("h"), found.quantities["h"].axes) == ("Arrays", "m", ("time",))
    np.testing.assert_array_equal(found["time"], [0.0, 1.0])


def test_files_that_are_no_datasets(tmp_path, motion):
    whole = motion.save(tmp_path / "a.nc").read_bytes()
    for share in (0.0, 0.01, 0.5, 0.95):
        (tmp_path / "b.nc").write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(rt.DeclarationError, match=r"netCDF|damaged|cut"):
            rt.load_result(tmp_path / "b.nc")


def test_a_store_is_not_replaced(motion, tmp_path):
    pytest.importorskip("zarr")
    path = motion.save(tmp_path / "a.zarr")
    with pytest.raises(rt.DeclarationError, match="is there already"):
        motion.save(path)
    assert [each.name for each in tmp_path.iterdir()] == ["a.zarr"]


@pytest.mark.parametrize("codec", ["pickle", "something"])
def test_a_store_with_codecs_that_may_run_code_is_refused(codec, motion, tmp_path):
    pytest.importorskip("zarr")
    path = motion.save(tmp_path / "a.zarr")
    said = json.loads((path / "q" / ".zarray").read_text())
    said |= {"dtype": "|O", "filters": [{"id": codec}]}
    (path / "q" / ".zarray").write_text(json.dumps(said))
    with pytest.raises(rt.DeclarationError, match=f"names the codec `(object|{codec})`"):
        rt.load_result(path)


def test_objects_without_a_codec_are_refused_too(motion, tmp_path):
    pytest.importorskip("zarr")
    path = motion.save(tmp_path / "a.zarr")
    said = json.loads((path / "q" / ".zarray").read_text())
    (path / "q" / ".zarray").write_text(json.dumps(said | {"dtype": "|O"}))
    with pytest.raises(rt.DeclarationError, match="names the codec `object`"):
        rt.load_result(path)


def test_a_store_of_a_study_is_read(cart, tmp_path):
    pytest.importorskip("zarr")
    pytest.importorskip("dask")
    ask = {"over": {"k": [1.0, 2.0, 3.0]}, "find": ["q", "frequencies"]}
    found = rt.sweep(cart, {"m": 2.0, "c": 0.1}, **ask, to=tmp_path / "a.zarr", progress=False)
    read = rt.load_result(tmp_path / "a.zarr")
    np.testing.assert_array_equal(read["frequencies"], found["frequencies"])
    np.testing.assert_array_equal(read["k"], [1.0, 2.0, 3.0])
