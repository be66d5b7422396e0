"""Live numbers, modes, responses and loci are those of the public verbs."""

from __future__ import annotations

import numpy as np
import pytest
from asking import ask, chain, text_of

import routh as rt
from routh.errors import RouthError
from routh.studio.bench import Bench


def values_and_modes(text: str, changed: dict[str, float], q: dict[str, float]) -> rt.results.Modes:
    model = rt.load(text)
    rest = rt.equilibrium(
        model.system, model.values | changed, guess=q, inputs=model.inputs,
        speeds=model.analysis.speeds or None,
    )  # fmt: skip
    return rt.modes(rt.linearize(rest))


@pytest.mark.parametrize(
    ("name", "changed", "q"),
    [
        ("double_pendulum", {"l2": 1.1}, {}),
        ("bead_on_hoop", {"omega": 6.5}, {"theta": 1.0}),
        ("cart_pole", {}, {}),
        ("spinning_top", {}, {}),
        ("cartesian_pendulum", {}, {}),
    ],
)
def test_live_is_what_modes_and_stability_say(name, changed, q) -> None:
    text = text_of(name)
    told = ask("live", text, values=changed, q=q)
    model = rt.load(text)
    own = values_and_modes(text, changed, {**{x.name: v for x, v in model.guess.items()}, **q})
    assert np.allclose([complex(*s) for s in told["eigenvalues"]], own.eigenvalues, rtol=1e-12)
    assert told["verdict"] == str(own.stability.verdict)
    assert told["reason"] == str(own.stability).partition(". ")[2]
    assert np.allclose([m["frequency"] for m in told["modes"]], own.frequencies, rtol=1e-12)
    rest = own.linear.reference
    assert list(told["q"].values()) == rest.q.tolist()


def test_a_slider_moves_numbers_and_builds_nothing(monkeypatch) -> None:
    """After one answer no function of CasADi is made again, whatever the values are."""
    import casadi

    bench, text = Bench(), chain(4)
    ask("live", text, bench, values={"c": 20.0}, want=["response"])
    ask("live", text, bench, values={"c": 21.0}, want=["response"])
    made = []
    kept = casadi.Function
    monkeypatch.setattr(
        casadi, "Function", lambda *given, **more: made.append(given[0]) or kept(*given, **more)
    )
    told = ask("live", text, bench, values={"c": 22.5}, want=["response"])
    assert not made
    own = values_and_modes(text, {"c": 22.5}, {})
    assert np.allclose([complex(*s) for s in told["eigenvalues"]], own.eigenvalues, rtol=1e-10)


def test_a_driven_pendulum_is_judged_by_its_multipliers() -> None:
    told = ask("live", text_of("shaken_pendulum"))
    model = rt.load(text_of("shaken_pendulum"))
    own = rt.floquet(model.system, model.values, 2 * np.pi / 60, guess={"theta": np.pi})
    assert told["kind"] == "floquet"
    assert told["verdict"] == str(own.verdict) == "stable"
    assert np.allclose([complex(*m) for m in told["multipliers"]], own.multipliers, rtol=1e-10)
    # Kapitza: upside down it falls where A w < sqrt(2 g l)
    assert ask("live", text_of("shaken_pendulum"), values={"w": 40.0})["verdict"] == "unstable"


def test_what_rests_nowhere_is_refused_in_a_sentence() -> None:
    with pytest.raises(RouthError, match="floor does not slip at rest"):
        ask("live", text_of("stick_slip"))
    with pytest.raises(RouthError, match=r"`thta` is no coordinate of the model.*Did you mean `theta`"):
        ask("live", text_of("bead_on_hoop"), q={"thta": 1.0})
    with pytest.raises(RouthError, match="`theta` must be a finite number"):
        ask("live", text_of("bead_on_hoop"), q={"theta": float("inf")})


def test_amplitudes_have_the_units_of_their_coordinates() -> None:
    told = ask("modes", text_of("cart_pole"), moving=False)
    units = {each["name"]: each["unit"] for each in told["shapes"][0]["participation"]}
    assert units == {
        each["name"]: each["unit"] for each in ask("read", text_of("cart_pole"))["coordinates"]
    }
    assert set(units.values()) == {"m", "rad"}


def test_shapes_sensitivities_and_matrices_are_those_of_modes() -> None:
    text = text_of("double_pendulum")
    told = ask("modes", text, sensitivity=True)
    own = values_and_modes(text, {}, {})
    for shape in told["shapes"]:
        amplitudes = [each["amplitude"] for each in shape["participation"]]
        assert np.allclose(amplitudes, np.abs(own.shapes[:, shape["mode"]]), rtol=1e-12)
        tracks = shape["frames"]["points"][1]["track"]
        assert len(tracks) == len(shape["frames"]["t"]) > 20
        assert np.allclose(tracks[0], tracks[-1], atol=1e-9)  # a period later it is back
    slopes = own.sensitivity()
    assert told["sensitivity"]["parameters"] == [str(p) for p in slopes.parameters]
    assert np.allclose(told["sensitivity"]["frequencies"], slopes.frequencies, rtol=1e-10)
    assert np.allclose(told["matrices"]["K"]["rows"], own.linear.K, rtol=1e-12)
    assert "D" not in told["matrices"]


def test_sensitivities_are_the_slopes_of_live_numbers() -> None:
    """Central differences of what a slider shows, to the square of their step."""
    bench, text = Bench(), text_of("double_pendulum")
    told = ask("modes", text, bench, sensitivity=True)["sensitivity"]
    k, h = told["parameters"].index("l2"), 1e-4
    ends = [ask("live", text, bench, values={"l2": 0.8 + side * h})["modes"] for side in (-1, 1)]
    for j in range(2):
        slope = (ends[1][j]["frequency"] - ends[0][j]["frequency"]) / (2 * h)
        assert told["frequencies"][j][k] == pytest.approx(slope, rel=1e-6)


def test_shapes_of_a_field_lie_along_its_body_and_frequencies_converge() -> None:
    told = ask("modes", text_of("hub_beam"), moving=False)
    published = [0.0, 5.7204, 19.938, 51.409]
    assert np.allclose([m["frequency"] for m in told["modes"][:4]], published, rtol=2e-4, atol=1e-9)
    (along,) = told["shapes"][1]["along"]
    assert along["s"][0] == pytest.approx(0.0)
    assert along["s"][-1] == pytest.approx(1.5)
    assert along["re"][0] == pytest.approx(0.0, abs=1e-9)  # clamped to the hub
    errors = told["field_errors"]
    assert [each["change"] < 1e-5 for each in errors[1:4]] == [True] * 3
    assert errors[1]["change"] < errors[2]["change"] < errors[3]["change"] < errors[-1]["change"]


def test_more_functions_change_the_sizes_of_the_model() -> None:
    bench, text = Bench(), text_of("hub_beam")
    assert len(ask("live", text, bench, sizes={"w": 4})["modes"]) == 5
    assert len(ask("live", text, bench, sizes={"w": 6})["modes"]) == 7
    with pytest.raises(RouthError, match="1 to 200 functions"):
        ask("live", text, bench, sizes={"w": 0})


def test_a_response_is_that_of_the_verb_at_its_frequencies() -> None:
    text = text_of("cart_pole")
    told = ask("response", text)
    own = values_and_modes(text, {}, {}).linear
    w = told["omega"][::50]
    answer = rt.frequency_response(own, told["input"], told["output"], w)
    assert np.allclose(told["gain"][::50], np.abs(answer.transfer[:, 0]), rtol=1e-10)
    assert np.allclose([complex(*g) for g in told["nyquist"][::50]], answer.transfer[:, 0], rtol=1e-10)
    assert told["outputs"][0] == "x"
    assert told["inputs"] == ["F"]


def test_a_response_about_an_unstable_rest_is_called_formal() -> None:
    assert "formal" in ask("response", text_of("cart_pole"), q={"theta": 0.0})["words"]
    with pytest.raises(RouthError, match="no inputs"):
        ask("response", text_of("double_pendulum"))
    with pytest.raises(RouthError, match="from a number above zero to a larger one"):
        ask("response", text_of("cart_pole"), **{"from": 2.0, "to": 1.0})


def test_a_locus_passes_through_live_numbers_and_tells_where_verdicts_change() -> None:
    text = text_of("bead_on_hoop")
    told = ask("locus", text, q={"theta": 0.0}, parameter="omega", **{"from": 1.0, "to": 6.0})
    critical = np.sqrt(9.81 / 1.2)
    (change,) = told["changes"]
    assert (change["from"], change["to"]) == ("stable", "unstable")
    low, high = change["between"]
    assert low < critical < high
    assert high - low == pytest.approx(5.0 / 200)
    for k in (0, 77, 200):
        live = ask("live", text, values={"omega": told["values"][k]}, q={"theta": 0.0})
        assert np.allclose(sorted(map(tuple, told["eigenvalues"][k])), sorted(map(tuple, live["eigenvalues"])),
                           atol=1e-9)  # fmt: skip
        assert told["verdicts"][k] == live["verdict"]


def test_a_locus_follows_a_rest_that_moves() -> None:
    """The rest of the hoop at cos(theta) = g/(R w^2) stays that, all the way to w = 20."""
    told = ask("locus", text_of("bead_on_hoop"), q={"theta": 1.0}, parameter="omega",
               **{"from": 4.0, "to": 20.0})  # fmt: skip
    expected = np.arccos(9.81 / 1.2 / np.array(told["values"]) ** 2)
    assert np.allclose(told["places"]["theta"], expected, rtol=1e-9)
