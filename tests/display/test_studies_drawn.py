"""Pictures of studies."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

import routh as rt
from routh.display.colours import VERDICTS
from routh.display.pictures import downsampled, studies_drawn
from routh.display.pictures.downsampled import edges, numbers_in_cells, words_in_cells

xarray = pytest.importorskip("xarray")
pytest.importorskip("zarr")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def study(**given):
    x, (k, c) = rt.coordinate("x"), rt.parameters("k c")
    system = rt.System(
        kinetic=rt.ddt(x) ** 2 / 2,
        potential=k * x**2 / 2,
        dissipation=c * rt.ddt(x) ** 2 / 2,
        name="spring",
    )
    ask = {
        "over": {"k": np.linspace(-1, 1, 6), "c": np.geomspace(0.1, 1, 5)},
        "find": ["verdict", "growth"],
    }
    return rt.sweep(system, {}, **(ask | given))


def test_a_map_has_the_verdicts_in_its_legend():
    axes = rt.plot(study())
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "asymptotically stable",
        "unstable",
    ]
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "log")
    assert axes.collections[0].get_array().shape == (5, 6)
    turned = rt.plot(study(), against="c")
    assert turned.get_xlabel() == "$c$"
    assert turned.collections[0].get_array().shape == (6, 5)


SIDE = 1501


def plane(values, **more):
    """A study of this plane, as `sweep` would give it."""
    axes = {"a": np.arange(values.shape[0]), "b": np.arange(values.shape[1])}
    told = {"routh_system": "", "title": "Study of a plane"}
    return xarray.Dataset({"found": (("a", "b"), values, more)}, coords=axes, attrs=told)


def pixels(axes, colour):
    """Where a picture has this colour, in the box of the axes."""
    axes.figure.canvas.draw()
    picture = np.asarray(axes.figure.canvas.buffer_rgba())[..., :3].astype(int)
    box = axes.get_window_extent()
    low, high = len(picture) - int(box.y1), len(picture) - int(box.y0)
    inside = picture[low + 2 : high - 2, int(box.x0) + 2 : int(box.x1) - 2]
    return np.abs(inside - np.round(255 * np.array(to_rgb(colour)))).max(axis=-1) <= 1


WORDS = {"flag_meanings": "unknown good bad"}


@pytest.mark.parametrize("shown", ["words", "numbers"])
def test_a_tongue_of_one_point_in_millions_is_seen(shown):
    values = np.zeros((SIDE, SIDE), dtype=np.int8)
    values[:, 700] = 1
    values[40, 1000] = 1
    if shown == "words":
        axes = rt.plot(plane(values, **WORDS))
        seen = pixels(axes, studies_drawn._colours("found", ["unknown", "good", "bad"])[2])
        rule = "where words meet in a cell the rarest of all is shown"
    else:
        axes = rt.plot(plane(-1.0 * values))  # a valley
        seen = pixels(axes, axes.collections[0].cmap(0.0))
        rule = "a cell shows its number farthest from 0"
    rows = np.flatnonzero(seen.mean(axis=1) > 0.99)
    assert len(rows) >= 1  # the whole line, from the left to the right
    alone = seen.copy()
    alone[rows] = False
    assert 1 <= alone.sum() <= 12
    assert alone[: rows[0]].any()
    down, across = axes.collections[0].get_array().shape
    note = axes.get_legend().get_title().get_text()
    assert note == f"2,253,001 points in {across} x {down} cells; {rule}"


def test_cells_are_the_same_however_a_plane_is_read(monkeypatch):
    codes = np.random.default_rng(1).integers(0, 3, (61, 47)) * (np.arange(47) % 9 == 0)
    numbers = np.where(codes == 2, np.nan, np.random.default_rng(2).normal(size=codes.shape))
    whole = words_in_cells(lambda rows: codes[rows], codes.shape, (10, 8), 3)
    reals = numbers_in_cells(lambda rows: numbers[rows], codes.shape, (10, 8))
    monkeypatch.setattr(downsampled, "BAND", 100)
    again = words_in_cells(lambda rows: codes[rows], codes.shape, (10, 8), 3)
    np.testing.assert_array_equal(again.values, whole.values)
    again = numbers_in_cells(lambda rows: numbers[rows], codes.shape, (10, 8))
    np.testing.assert_array_equal(again.values, reals.values)
    often = np.bincount(codes.reshape(-1))
    for (i, j), code in np.ndenumerate(whole.values):
        part = codes[7 * i : 7 * i + 7, 6 * j : 6 * j + 6]
        assert code == min(np.unique(part), key=lambda c: often[c])
        assert reals.values[i, j] in numbers[7 * i : 7 * i + 7, 6 * j : 6 * j + 6]


def test_edges_lie_between_points():
    numbers = np.geomspace(1, 16, 5)
    np.testing.assert_allclose(
        edges(numbers, 2, geometric=True), [0.5**0.5, 8**0.5, 128**0.5, 512**0.5]
    )
    np.testing.assert_allclose(edges(np.arange(4.0), 3, geometric=False), [-0.5, 2.5, 3.5])


def test_long_curves_and_lists_keep_what_is_rare(monkeypatch):
    monkeypatch.setattr(studies_drawn, "STRETCHES", 10)
    values = np.zeros(1001)
    values[333], values[600] = 5, np.nan
    found = xarray.Dataset({"found": ("a", values)}, {"a": np.arange(1001)}, {"routh_system": ""})
    axes = rt.plot(found)
    drawn = axes.lines[0].get_xydata()
    assert len(drawn) < 40
    assert [333, 5] in drawn.tolist()
    assert np.isnan(drawn[drawn[:, 0] == 600, 1]).all()
    assert axes.get_legend().get_title().get_text() == (
        "1,001 points; the least and the largest of each 101"
    )
    monkeypatch.setattr(studies_drawn, "LISTED", 10)
    codes = np.zeros(1001, dtype=np.int8)
    codes[77] = 1
    points = {"a": ("point", np.arange(1001)), "b": ("point", np.arange(1001))}
    found = xarray.Dataset({"found": ("point", codes, WORDS)}, points, {"routh_system": ""})
    axes = rt.plot(found)
    assert [77, 77] in axes.collections[0].get_offsets().tolist()
    assert "11 of 1,001 points, at equal steps of each word" in (
        axes.get_legend().get_title().get_text()
    )


def test_a_map_of_stability_is_drawn_in_cells_too(monkeypatch):
    x, (k, c) = rt.coordinate("x"), rt.parameters("k c")
    system = rt.System(
        kinetic=rt.ddt(x) ** 2 / 2, potential=k * x**2 / 2, dissipation=c * rt.ddt(x) ** 2 / 2
    )
    found = rt.stability_map(system, {"k": np.linspace(-1, 9, 11), "c": [0.1, 0.2, 0.3]})
    monkeypatch.setattr("routh.display.pictures.coloured_plane._room", lambda *_, **__: (2, 4))
    axes = rt.plot(found)
    assert axes.collections[0].get_array().shape == (2, 4)
    said = {text.get_text() for text in axes.get_legend().get_texts()}
    assert said == set(map(str, found.region.flat))
    assert axes.get_legend().get_title().get_text().startswith("33 points in 2 x 4 cells")


def test_curves_and_points_of_a_list():
    found = study(find=["eigenvalues"])
    axes = rt.plot(found.isel(c=0))
    assert len(axes.lines) == 2
    assert axes.get_ylabel() == "real part of eigenvalues in 1/s"
    spread = study(over={"k": (-1, 1), "c": (0.1, 1)}, design="sobol", points=8, seed=1)
    assert rt.plot(spread).collections[0].get_offsets().shape == (8, 2)


def test_what_cannot_be_drawn_is_told():
    with pytest.raises(rt.DeclarationError, match="Did you mean `growth`"):
        rt.plot(study(), shown="grow")


def spring():
    x, (k, c) = rt.coordinate("x"), rt.parameters("k c")
    return rt.System(
        kinetic=rt.ddt(x) ** 2 / 2,
        potential=k * x**2 / 2,
        dissipation=c * rt.ddt(x) ** 2 / 2,
        name="spring",
    )


@pytest.mark.parametrize("suffix", ["html", "md"])
def test_a_report_has_a_section_for_a_study(tmp_path, suffix):
    over = {"k": np.linspace(-1, 1, 4), "c": [0.1, 0.2, 0.3]}
    found = rt.sweep(spring(), {}, over=over, find=["verdict", "growth"])
    values = {"k": 1.0, "c": 0.1}
    path = rt.report(spring(), tmp_path / f"page.{suffix}", values=values, study=found)
    said = path.read_text("utf-8")
    assert "Study over" in said
    assert "12 points" in said
    assert said.count("50.00") >= 2  # stable where k > 0, and not elsewhere
    assert f"{float(found.growth.max()):.6g}" in said
    if suffix == "html":
        section = said[said.index("Study of spring") :]
        assert f"fill: {VERDICTS[rt.Verdict.UNSTABLE]}" in section  # as in the image, on any paper


def test_a_report_takes_no_study_of_another_system(tmp_path):
    found, other = study(), spring()
    other = other.changed(potential=2 * other.potential[0])
    for given, sentence in ((found, "is one of another system"), ([3], "is what `sweep` gave")):
        with pytest.raises(rt.DeclarationError, match=sentence):
            rt.report(other, tmp_path / "a.md", values={"k": 1.0, "c": 0.1}, study=given)
