"""The same study by this process, by processes, and by a cluster whose workers die."""

import os

import numpy as np
import pytest
from studied import BY_STIFFNESS, OVER, killing, least_damping, rotor

import routh as rt
from routh.studies import chain, gpu_crew

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


def seen(*_):
    return os.environ.get("CUDA_VISIBLE_DEVICES")


class Devices:
    """As CuPy shows two devices."""

    class cuda:  # noqa: N801
        class runtime:  # noqa: N801
            @staticmethod
            def getDeviceCount():
                return 2


@pytest.mark.slow
@pytest.mark.parametrize(("told", "each"), [(None, {"0", "1"}), ("3,5", {"3", "5"})])
def test_each_worker_sees_a_gpu_of_its_own(monkeypatch, told, each):
    monkeypatch.setattr(gpu_crew, "devices", lambda: Devices)
    if told is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", told)
    with gpu_crew.gpu_cluster(2) as cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        assert set(client.run(seen).values()) == each


def test_there_are_not_more_workers_than_gpus(monkeypatch):
    monkeypatch.setattr(gpu_crew, "devices", lambda: Devices)
    with pytest.raises(rt.DeclarationError, match=r"shows 2\. Got workers=3\. Give at most 2"):
        gpu_crew.gpu_cluster(3)


def test_without_a_gpu_a_sentence_is_told_before_anything_is_computed(monkeypatch):
    def none():
        raise rt.DerivationError('engine="cuda" needs an NVIDIA GPU, and this machine shows none.')

    monkeypatch.setattr("routh.analysis.given.engines.devices", none)
    with pytest.raises(rt.DerivationError, match="needs an NVIDIA GPU"):
        rt.sweep(rotor(), {"c": 0.1}, over=OVER, find=FIND, engine="cuda", workers=2)
