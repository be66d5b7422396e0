"""The same study by this process, by processes, and by a cluster whose workers die."""

import numpy as np
import pytest
from studied import BY_STIFFNESS, OVER, killing, least_damping, rotor

import routh as rt
from routh.studies import chain

distributed = pytest.importorskip("distributed")
xarray = pytest.importorskip("xarray")
pytest.importorskip("zarr")

FIND = ["eigenvalues", "verdict", least_damping]
QUIET = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setitem(chain.PER_CHUNK, "rests", 12)


def of_this_process():
    return rt.sweep(rotor(), {"c": 0.1}, over=OVER, find=FIND)


@pytest.fixture
def processes(tmp_path, monkeypatch):
    """A client of two processes; `flag` is a file that has one of them killed."""
    monkeypatch.setenv("KILLED_BY", str(tmp_path / "flag"))
    cluster = distributed.LocalCluster(n_workers=2, **QUIET)
    with cluster, distributed.Client(cluster) as made:
        made.flag = tmp_path / "flag"
        yield made


def test_this_process_and_a_cluster_give_the_same_bit_by_bit(tmp_path):
    cluster = distributed.LocalCluster(n_workers=2, processes=False, **QUIET)
    with cluster, distributed.Client(cluster) as client:
        given = {"over": OVER, "find": FIND, "workers": client}
        assert rt.sweep(rotor(), {"c": 0.1}, **given).identical(of_this_process())
        stored = rt.sweep(rotor(), {"c": 0.1}, to=tmp_path / "a.zarr", **given)
        assert stored.identical(of_this_process())


@pytest.mark.slow
def test_processes_and_a_number_of_them_give_the_same_bit_by_bit(processes, tmp_path):
    alone, given = of_this_process(), {"over": OVER, "find": FIND}
    assert rt.sweep(rotor(), {"c": 0.1}, workers=processes, **given).identical(alone)
    stored = rt.sweep(rotor(), {"c": 0.1}, workers=2, to=tmp_path / "a.zarr", **given)
    assert stored.identical(alone)


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_nothing(processes, tmp_path):
    processes.flag.touch()
    given = {"over": BY_STIFFNESS, "to": tmp_path / "a.zarr"}
    found = rt.sweep(rotor(), {"c": 0.1}, find=[killing], workers=processes, **given)
    assert not processes.flag.exists()
    assert found.is_complete == 1
    alone = rt.sweep(rotor(), {"c": 0.1}, over=BY_STIFFNESS, find=[least_damping])
    np.testing.assert_array_equal(found.killing, alone.least_damping)
