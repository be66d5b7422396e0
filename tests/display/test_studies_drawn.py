"""Pictures of studies."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import routh as rt
from routh.display.pictures import studies_drawn

pytest.importorskip("xarray")
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
    assert axes.get_xscale() == "log"
    assert axes.get_yscale() == "linear"
    drawn = axes.collections[0].get_array()
    assert drawn.shape == (6, 5)


def test_of_many_points_as_many_are_drawn_as_can_be_told_apart(monkeypatch):
    monkeypatch.setattr(studies_drawn, "MOST", 3)
    axes = rt.plot(study(), shown="growth")
    assert axes.collections[0].get_array().shape == (3, 3)
    assert axes.get_title("left") == "Study of spring (one k in 2, one c in 2)"


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
