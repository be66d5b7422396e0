"""Studies: what they find, how they are kept, and what is refused."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Lock

import numpy as np
import pytest
from scipy.stats import norm, qmc
from studied import BY_STIFFNESS, FIND, OVER, killing, least_damping, pendulum, rotor

import routh as rt
from routh.errors import MissingExtra, WriteError
from routh.kernels.compiled import compiler
from routh.studies import chain, chunk, keeping

xarray = pytest.importorskip("xarray")
pytest.importorskip("zarr")


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setitem(chain.PER_CHUNK, "rests", 12)
    monkeypatch.setitem(chain.PER_CHUNK, "motions", 4)


def study(to=None, find=FIND, over=OVER, **more):
    return rt.sweep(rotor(), {"c": 0.1}, over=over, find=find, to=to, **more)


def test_a_grid_has_what_the_verbs_have():
    found = study(find=[*FIND, least_damping, "q", "x"])
    plane = {"c": 0.1, "Omega": OVER["Omega"][:, None], "k": OVER["k"]}
    linear = rt.linearize(rt.equilibrium(rotor(), plane))
    modes = rt.modes(linear)
    np.testing.assert_array_equal(found.eigenvalues, modes.eigenvalues)
    np.testing.assert_array_equal(found.least_damping, least_damping(modes))
    words = found.verdict.flag_meanings.split()
    said = [words[code + 1] for code in found.verdict.values.flat]
    assert said == [each.name.lower() for each in rt.stability(linear).verdict.flat]
    assert found.eigenvalues.dims == ("Omega", "k", "eigenvalue")
    assert found.eigenvalues.units == "1/s"
    assert (found.status == 0).all()
    assert found.x.dims == ("Omega", "k")
    assert found.is_complete == 1


def test_digits_do_not_depend_on_how_points_are_cut_into_chunks(monkeypatch):
    found = study()
    for size in (1, 7, 1000):
        monkeypatch.setitem(chain.PER_CHUNK, "rests", size)
        assert study().equals(found)


def test_a_store_is_the_same_and_is_read_by_xarray_alone(tmp_path):
    found = study(tmp_path / "a.zarr")
    assert found.equals(study())
    with xarray.open_zarr(tmp_path / "a.zarr", consolidated=False, decode_cf=False) as read:
        xarray.testing.assert_equal(read[list(found.data_vars)].load(), found.load())


def test_the_same_line_again_computes_nothing(tmp_path, monkeypatch):
    found = study(tmp_path / "a.zarr").load()
    monkeypatch.setattr("routh.studies.sweep.computed", None)
    assert study(tmp_path / "a.zarr").identical(found)


def test_a_full_disk_is_a_sentence_and_the_rest_is_computed_later(tmp_path, monkeypatch):
    kept, place = keeping.unfolded, tmp_path / "a.zarr"
    calls = []

    def full(*given):
        calls.append(given[-1])
        if len(calls) == 10:  # within the third chunk, its first variable being written
            raise OSError(errno.ENOSPC, "No space left on device")
        return kept(*given)

    monkeypatch.setattr(keeping, "unfolded", full)
    with pytest.raises(WriteError, match=r"No space left on device\. Complete chunks are kept"):
        study(place)
    monkeypatch.setattr(keeping, "unfolded", kept)
    with xarray.open_zarr(place, consolidated=False, decode_cf=False) as half:
        known = (half.status >= 0).values
        assert 0 < known.sum() == 24
        whole = study()
        np.testing.assert_array_equal(half.eigenvalues.values[known], whole.eigenvalues.values[known])
    computed, again = chunk.computed, []
    for module in ("sweep", "crews"):
        monkeypatch.setattr(
            f"routh.studies.{module}.computed", lambda job, c: again.append(c) or computed(job, c)
        )
    assert study(place).equals(whole)
    assert len(again) == 8


def test_a_store_that_is_read_while_it_grows_has_whole_chunks_or_none(tmp_path, monkeypatch):
    place, whole, seen = tmp_path / "a.zarr", study(), []
    keep = keeping.InStore.keep

    def look(self, where, found):
        keep(self, where, found)
        with xarray.open_zarr(place, consolidated=False, decode_cf=False) as half:
            known = (half.status >= 0).values
            seen.append(int(known.sum()))
            np.testing.assert_array_equal(half.verdict.values[known], whole.verdict.values[known])

    monkeypatch.setattr(keeping.InStore, "keep", look)
    study(place)
    assert seen == list(range(12, 121, 12))


def test_ctrl_c_keeps_what_is_there(tmp_path):
    pressed = []

    def pressing(modes):
        pressed.append(1)
        if len(pressed) == 4:
            raise KeyboardInterrupt
        return least_damping(modes)

    found = study(tmp_path / "a.zarr", find=[pressing])
    assert found.is_complete == 0
    assert int((found.status >= 0).sum()) == 36
    assert study(tmp_path / "a.zarr", find=[pressing]).is_complete == 1


@pytest.mark.slow
def test_a_client_that_is_killed_goes_on_where_it_was(tmp_path):
    flag, place = tmp_path / "flag", tmp_path / "a.zarr"
    flag.touch()
    path = os.pathsep.join([str(Path(rt.__file__).parents[1]), str(Path(__file__).parent)])
    given = {"PYTHONPATH": path, "KILLED_BY": str(flag), "STORE": str(place)}
    run = subprocess.run([sys.executable, "-m", "studied"], env=os.environ | given, check=False)
    assert run.returncode < 0
    done = len(list((place / keeping.MARKS).iterdir()))
    assert 0 < done < 10
    found = study(place, find=[killing], over=BY_STIFFNESS)
    assert found.is_complete == 1
    np.testing.assert_array_equal(
        found.killing, study(find=[least_damping], over=BY_STIFFNESS).least_damping
    )


def test_a_point_that_raises_is_a_status_and_no_lost_study():
    def moody(modes):
        if (modes.linear.reference.values["k"] == OVER["k"][5]).any():
            raise ZeroDivisionError("not this one")
        return modes.frequencies[:, 0]

    found = study(find=[moody])
    words = found.status.flag_meanings.split()
    raised = found.status == words.index("raised") - 1
    assert int(raised.sum()) == 10
    assert raised.sel(k=OVER["k"][5]).all()
    assert np.isnan(found.moody.values[raised.values]).all()
    assert np.isfinite(found.moody.values[~raised.values]).all()
    assert "ZeroDivisionError: not this one" in found.remarks


def test_a_study_in_which_everything_raises_raises():
    def broken(_):
        raise ZeroDivisionError("never")

    with pytest.raises(ZeroDivisionError, match="never"):
        study(find=[broken])


@pytest.mark.parametrize("design", ["random", "latin", "sobol", "halton"])
def test_designs_are_spread_over_ranges_and_the_same_for_a_seed(design):
    given = {"over": {"k": (1.0, 3.0), "Omega": norm(0.5, 0.1)}, "design": design, "points": 16}
    found = study(find=["frequencies"], seed=1, **given)
    assert found.frequencies.dims == ("point", "mode")
    assert ((found.k >= 1) & (found.k <= 3)).all()
    assert abs(float(found.Omega.mean()) - 0.5) < 0.1
    assert study(find=["frequencies"], seed=1, **given).identical(found)
    assert not study(find=["frequencies"], seed=2, **given).equals(found)
    if design == "sobol":
        unit = qmc.Sobol(2, rng=np.random.default_rng(1)).random(16)
        np.testing.assert_array_equal(found.k, 1 + 2 * unit[:, 0])


def test_a_list_of_points():
    found = study(over={"k": [1.0, 2.0, 3.0], "Omega": [0.0, 0.1, 0.2]}, design="points")
    assert found.k.dims == ("point",)
    assert found.sizes["point"] == 3


def test_an_ensemble_of_motions_equals_its_runs():
    system, times = pendulum(), np.linspace(0, 1, 5)
    over = {"g": [9.0, 10.0], "theta": [0.1, 0.5, 1.0]}
    found = rt.sweep(system, {}, over=over, find=["q", "energy_error"], times=times, progress=False)
    assert found.q.dims == ("g", "theta", "time", "coordinate")
    assert found.g.units == "m/s^2"
    one = rt.simulate(system, {"g": 10.0}, {"theta": 0.5}, times, progress=False)
    np.testing.assert_array_equal(found.q.sel(g=10, theta=0.5), one.q)
    np.testing.assert_array_equal(found.time, times)
    meant = found.status.flag_meanings.split()
    assert {meant[code + 1] for code in found.status.values.flat} == {"finished"}


def test_a_chart_of_a_period():
    x, (k, e) = rt.coordinate("x"), rt.parameters("k e")
    mathieu = rt.System(kinetic=rt.ddt(x) ** 2 / 2, potential=(k + e * rt.cos(2 * rt.t)) * x**2 / 2)
    over = {"k": [1.0, 1.2], "e": [0.0, 0.4, 0.6]}
    found = rt.sweep(mathieu, {}, over=over, find=["verdict", "growth"], period=np.pi)
    one = rt.floquet(mathieu, {"k": 1.0, "e": 0.4}, np.pi)
    assert float(found.growth.sel(k=1.0, e=0.4)) == pytest.approx(float(one.growth), rel=1e-9)


def block():
    x, (k, N, v) = rt.coordinate("x"), rt.parameters("k N v")
    rubs = rt.friction(slip=rt.ddt(x) - v, coefficient=0.4, normal=N)
    return rt.System(kinetic=rt.ddt(x) ** 2 / 2, potential=k * x**2 / 2, friction=[rubs], name="block")


def test_rests_with_friction_are_points_that_slip_and_those_that_do_not_raise():
    over = {"k": [1.0, 2.0], "v": [0.0, 1.0]}
    found = rt.sweep(block(), {"N": 10.0}, over=over, find=["x", "verdict", "frequencies"])
    np.testing.assert_allclose(found.x.sel(v=1), [4.0, 2.0], rtol=1e-12)  # mu N / k
    np.testing.assert_allclose(found.frequencies.sel(v=1)[:, 0], np.sqrt([1.0, 2.0]), rtol=1e-12)
    words = found.status.flag_meanings.split()
    assert [words[code + 1] for code in found.status.values.flat] == ["raised", "converged"] * 2
    assert "does not slip at rest" in found.remarks


def test_motions_with_friction_equal_single_runs():
    def phases(motion):
        return len(motion.phases)

    times = np.linspace(0, 1, 5)
    given = {"find": ["q", "x", "completed", phases], "times": times, "start": {"x": 0.1}}
    found = rt.sweep(block(), {"N": 10.0, "v": 1.0}, over={"k": [1.0, 2.0]}, **given)
    one = rt.simulate(block(), {"N": 10.0, "v": 1.0, "k": 2.0}, {"x": 0.1}, times, progress=False)
    np.testing.assert_array_equal(found.q.sel(k=2), one.q)
    np.testing.assert_array_equal(found.x.sel(k=2), one.q[:, 0])
    assert found.phases.sel(k=2) == len(one.phases)
    assert (found.completed == 1).all()


def test_a_large_study_is_compiled_where_there_is_a_compiler_and_finds_the_same(monkeypatch):
    plain, asked, whole = study(), [], chain.equilibrium
    monkeypatch.setattr("routh.studies.sweep.MANY", 100)
    monkeypatch.setattr(
        chain, "equilibrium", lambda *a, **g: asked.append(g["engine"]) or whole(*a, **g)
    )
    with monkeypatch.context() as without:
        without.setattr(chain, "compiler", lambda: None)
        assert study().identical(plain)
    assert set(asked) == {"auto"}
    if compiler() is None:
        pytest.skip("there is no compiler of C")
    asked.clear()
    made = study()
    assert set(asked) == {"c"}
    np.testing.assert_array_equal(made.verdict, plain.verdict)
    np.testing.assert_allclose(made.frequencies, plain.frequencies, rtol=1e-10)


def test_a_study_in_which_everything_raises_is_given_up_early():
    tried = []

    def broken(modes):
        tried.append(len(modes.linear.reference.values["k"]))
        return modes.frequency

    with pytest.raises(AttributeError, match="frequency") as told:
        study(find=[broken])
    assert "96 of 120 from all over the study" in told.value.__notes__[0]
    assert sum(tried) == 2 * 96  # together, and one by one


def test_a_store_that_cannot_be_made_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(keeping, "attributes", full)
        with pytest.raises(WriteError, match=r"could not be made: No space left on device\. Choose"):
            study(tmp_path / "a.zarr")
    assert not list(tmp_path.iterdir())
    assert study(tmp_path / "a.zarr").is_complete == 1


BAD = [
    (lambda: study(find=3), "`find` has names of what results have, or functions of a result. Got 3"),
    (
        lambda: study(find={"k": lambda modes: modes.frequencies}),
        "`find` has `k`, which is the name of what is varied",
    ),
    (
        lambda: rt.sweep(block(), {"N": 1, "v": 1}, over={"k": [1.0]}, find="q", engine="c"),
        "`engine` is for points that are computed together",
    ),
    (
        lambda: rt.sweep(block(), {"N": 1, "v": 1}, over={"k": [1.0]}, find="verdict", period=1.0),
        "sweep needs one set of equations, and `block` has friction",
    ),
    (
        lambda: rt.sweep(block(), {"N": 1, "v": 1}, over={"k": [1.0]}, find="work", times=[0, 1]),
        "`find` has `work`, which motions with friction do not have",
    ),
    (lambda: study(engine="gpu"), '`engine` is one of "auto"'),
    (
        lambda: study(over={"omega": [1.0]}),
        "`over` has `omega`, which is no parameter.*Did you mean `Omega`",
    ),
    (
        lambda: study(over={"k": [], "Omega": [1.0]}),
        "`k` in `over` must be an array.*at least one number",
    ),
    (lambda: study(over={}), "`over` maps what is varied"),
    (lambda: study(over={"k": [1.0]}), "Neither `values` nor `over` has `Omega`"),
    (lambda: study(over={"k": [1.0], "c": [1.0], "Omega": [1.0]}), "`c` is given and varied"),
    (
        lambda: study(find=["eigenvalue"]),
        "`find` has `eigenvalue`, which .* Did you mean `eigenvalues`",
    ),
    (lambda: study(find=[]), "`find` lists what is kept"),
    (lambda: study(find=[lambda modes: 1]), "A function in `find` needs a name"),
    (lambda: study(find={"one": lambda modes: 1.0}), "`one` must have one entry for each point"),
    (lambda: study(workers=0), "`workers` is None, a number of processes"),
    (lambda: study(design="gird"), "Did you mean `grid`"),
    (lambda: study(design="random", over={"k": (1, 2), "Omega": (0, 1)}), "needs `points`"),
    (lambda: study(design="points"), "as many numbers of each symbol. Got: Omega 10, k 12"),
    (lambda: study(to="/nowhere/at/all.zarr"), "There is no folder '/nowhere/at'"),
    (lambda: study(start={"x": 1}), "`start` is for motions, which need `times` too"),
]


@pytest.mark.parametrize(("call", "sentence"), BAD)
def test_what_is_wrong_is_told(call, sentence):
    with pytest.raises(rt.DeclarationError, match=sentence):
        call()


def test_a_function_that_cannot_be_sent_is_told():
    pytest.importorskip("distributed")
    lock = Lock()

    def stuck(modes):
        with lock:
            return modes.frequencies

    with pytest.raises(rt.DeclarationError, match="The function `stuck` of `find` cannot be sent"):
        study(find=[stuck], workers=1)


def test_a_store_of_another_study_is_refused(tmp_path):
    place, other = tmp_path / "a.zarr", rotor()
    study(place)
    with pytest.raises(rt.DeclarationError, match="is of another study: `values` differs"):
        rt.sweep(rotor(), {"c": 0.2}, over=OVER, find=FIND, to=place)
    with pytest.raises(rt.DeclarationError, match="is of another study: `system` differs"):
        rt.sweep(
            other.changed(potential=2 * other.potential[0]), {"c": 0.1}, over=OVER, find=FIND, to=place
        )
    with pytest.raises(rt.DeclarationError, match="`find` differs"):
        study(place, find=["verdict"])
    about = json.loads((place / "zarr.json").read_text())
    about["attributes"]["routh"]["version"] = "0.0.1"
    (place / "zarr.json").write_text(json.dumps(about))
    with pytest.raises(rt.DeclarationError, match=r"`version` differs\. There: '0\.0\.1'"):
        study(place)


def test_what_is_no_store_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(rt.DeclarationError, match="is there and is no whole store"):
        study(tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_store_without_permission_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(WriteError, match="may not be written"):
        study(tmp_path / "a.zarr")


def test_a_folder_that_may_not_be_looked_into_is_told(tmp_path, monkeypatch):
    def closed(_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(keeping.Path, "exists", closed)
    with pytest.raises(WriteError, match=r"may not be looked at: Permission denied\. Allow it"):
        study(tmp_path / "a.zarr")


def test_permission_is_asked_for_before_anything_is_computed(tmp_path, monkeypatch):
    monkeypatch.setattr(keeping.os, "access", lambda *_: False)
    with pytest.raises(WriteError, match=r"may not be written\. Allow it, or choose another `to`"):
        study(tmp_path / "a.zarr")


def test_without_the_extra_a_sentence_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(MissingExtra, match=r"routh\[sweep\]"):
        study()
