"""Fits: known answers, published data, what data do not determine, and how often intervals hold."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from routh import ddt

x, y, theta = rt.coordinates("x y theta")
m, k, c, e, l = rt.parameters("m k c e l")
F = rt.input("F")

FALLEN = np.array([33.0, 130, 298, 526, 824, 1192, 1620])
"""Galileo, Ms. 72, folio 107v, as read by Drake: distances in punti after 1 ... 7 equal times of a ball on an
inclined plane. The eighth number is read in two ways, and left out."""

MISRA = np.array([
    [77.6, 10.07], [114.9, 14.73], [141.1, 17.94], [190.8, 23.93], [239.9, 29.61], [289.0, 35.18], [332.8, 40.02],
    [378.4, 44.82], [434.8, 50.76], [477.3, 55.05], [536.8, 61.01], [593.1, 66.40], [689.1, 75.47], [760.0, 81.78],
])  # fmt: skip
"""NIST StRD, nonlinear regression, Misra1a: measured data with certified answers."""


def pendulum():
    kinetic = l**2 * ddt(theta) ** 2 / 2
    return rt.System(
        kinetic=kinetic, potential=-9.81 * l * rt.cos(theta), dissipation=c * ddt(theta) ** 2 / 2
    )


def chain():
    kinetic = (m * ddt(x) ** 2 + (m + e) * ddt(y) ** 2) / 2
    potential, dissipation = k * (x**2 + (y - x) ** 2) / 2, c * ddt(x) ** 2 / 2
    return rt.System(kinetic=kinetic, potential=potential, dissipation=dissipation, forces={x: F})


def test_certified_estimates_and_standard_errors_of_misra():
    # x = b1 (1 - exp(-b2 t)) moves by x'' = -b2 x' from x' = b1 b2
    slowed = rt.System(kinetic=ddt(x) ** 2 / 2, dissipation=k * ddt(x) ** 2 / 2)
    times, read = np.concatenate([[0], MISRA[:, 0]]), np.concatenate([[np.nan], MISRA[:, 1]])
    found = rt.fit(slowed, {"t": times, "x": read}, {"k": 5e-4, ddt(x): 250 * 5e-4})
    assert found.converged
    assert found["k"] == pytest.approx(5.5015643181e-04, rel=1e-7)
    assert found["x'"] / found["k"] == pytest.approx(2.3894212918e02, rel=1e-7)
    assert found.errors[0] == pytest.approx(7.2668688436e-06, rel=1e-6)
    assert found.scatter[0] == pytest.approx(1.0187876330e-01, rel=1e-6)
    b = np.array([-found["x'"] / found["k"] ** 2, 1 / found["k"]])
    assert np.sqrt(b @ found.covariance @ b) == pytest.approx(2.7070075241, rel=1e-6)


def test_galileo_falls_with_the_square_of_time():
    plane = rt.System(kinetic=ddt(x) ** 2 / 2, potential=-k * x)
    t = np.arange(8.0)
    found = rt.fit(plane, {"t": t, "x": [np.nan, *FALLEN]}, {"k": 50.0})
    square = t[1:] ** 2 / 2
    known = FALLEN @ square / (square @ square)
    left = FALLEN - known * square
    assert found["k"] == pytest.approx(known, rel=1e-9)
    assert found.errors[0] == pytest.approx(np.sqrt(left @ left / 6 / (square @ square)), rel=1e-7)


def test_mass_and_stiffness_are_not_told_apart_by_a_frequency():
    one = rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2 / 2)
    data = {"mode": [0], "frequency": [2.0]}
    found = rt.fit(one, data, {"m": 1.0, "k": 3.5})
    assert found.undetermined == ({"m": pytest.approx(1), "k": pytest.approx(1)},)
    assert "scatter not known" in str(found)
    assert "do not determine `m` and `k` each" in str(found)
    assert found["k"] / found["m"] == pytest.approx(4, rel=1e-8)
    assert not np.isfinite(found.errors).any()
    sure = rt.fit(one, data, {"k": 3.5}, {"m": 1.0}, deviations={"frequency": 0.01})
    assert sure.errors[0] == pytest.approx(2 * 2.0 * 0.01, rel=1e-6)  # k = w^2


def test_what_data_do_not_depend_on_stays_and_is_told():
    swing = rt.System(kinetic=m * l**2 * ddt(theta) ** 2 / 2, potential=-9.81 * m * l * rt.cos(theta))
    motion = rt.simulate(swing, {"m": 1.0, "l": 1.0}, {theta: 1.0}, np.linspace(0, 2, 9))
    read = motion["theta"] + 0.01 * np.cos(np.arange(9.0))
    found = rt.fit(swing, {"t": motion.t, "theta": read}, {"l": 1.05, "m": 2.0}, start={theta: 1.0})
    assert found["m"] == 2.0
    assert found.undetermined == ({"m": 1.0},)
    assert "The data do not depend on `m`" in found.remark
    assert abs(found["l"] - 1) < 4 * found.errors[0]


def test_added_mass_tells_them_apart():
    rng = np.random.default_rng(1)
    at = {"m": 2.0, "k": 50.0, "c": 0.3, "e": np.array([0, 0.5, 1.0])}
    known = rt.modes(rt.linearize(rt.equilibrium(chain(), at)))
    shape = np.moveaxis(known.shapes, -1, -2).reshape(6, 2).real
    data = {
        "mode": [0, 1] * 3, "e": np.repeat(at["e"], 2),
        "frequency": known.frequencies.ravel() * (1 + 1e-3 * rng.normal(size=6)),
        "damping": known.damping.ravel() * (1 + 0.01 * rng.normal(size=6)),
        "x": shape[:, 0] + 1e-3 * rng.normal(size=6), "y": shape[:, 1],
    }  # fmt: skip
    found = rt.fit(chain(), data, {"m": 1.5, "k": 40.0, "c": 0.2})
    assert np.abs((found.x - [2, 50, 0.3]) / found.errors).max() < 4
    held(found, chain(), data, {})


def test_responses():
    rng = np.random.default_rng(2)
    at, w = {"m": 2.0, "k": 50.0, "c": 0.3, "e": 0.0}, np.linspace(1, 10, 20)
    z = rt.frequency_response(rt.linearize(rt.equilibrium(chain(), at)), F, [x, ddt(y)], w).transfer
    z = z + 1e-3 * (rng.normal(size=z.shape) + 1j * rng.normal(size=z.shape))
    data = {"frequency": w, "input": "F", "x": z[:, 0], "y'": z[:, 1]}
    found = rt.fit(chain(), data, {"m": 1.9, "k": 48.0, "c": 0.2}, {"e": 0.0})
    assert np.abs((found.x - [2, 50, 0.3]) / found.errors).max() < 4
    held(found, chain(), data, {"e": 0.0})


def swung(seed, far=()):
    rng, t = np.random.default_rng(seed), np.linspace(0, 4, 41)
    motion = rt.simulate(pendulum(), {"l": 1.0, "c": 0.1}, {theta: 1.0}, t)
    angle = motion["theta"] + 0.01 * rng.normal(size=41)
    angle[list(far)] += 1.0
    return {"t": t, "theta": angle}


def held(found, system, data, values, step=1e-5):
    """Slopes of what is predicted, against central differences of fits that cannot move."""
    fine = {"rtol": 1e-12} if "t" in data else {}
    for j, name in enumerate(found.names):
        sides = []
        for sign in (1, -1):
            beside = dict(found.estimates)
            beside[name] += sign * step * abs(found.x[j])
            narrow = {key: (v, np.nextafter(v, np.inf)) for key, v in beside.items()}
            sides.append(rt.fit(system, data, beside, values, bounds=narrow, **fine).residuals)
        for slope, plus, minus in zip(found.slopes, *sides, strict=True):
            own = (minus - plus) / (2 * step * abs(found.x[j]))
            assert np.allclose(slope[:, j], own, atol=1e-6 * np.abs(slope[:, j]).max() + 1e-8)


def test_slopes_of_motions_and_accelerations_are_those_of_differences():
    read, rng = ddt(theta, 2) * l + theta, np.random.default_rng(3)
    data = swung(3)
    motion = rt.simulate(pendulum(), {"l": 1.0, "c": 0.1}, {theta: 1.0}, data["t"])
    data[read] = motion[read] + 0.1 * rng.normal(size=41)
    found = rt.fit(pendulum(), data, {"l": 1.02, "c": 0.15, theta: 0.95})
    assert np.abs((found.x - [1, 0.1, 1]) / found.errors).max() < 4
    held(found, pendulum(), data, {}, step=1e-4)


def test_huber_does_not_follow_what_is_far_off():
    data, ask = swung(4, far=(7, 20)), {"l": 1.02, "c": 0.15}
    plain, robust = (
        rt.fit(pendulum(), data, ask, start={theta: 1.0}, loss=loss) for loss in ("squares", "huber")
    )
    assert np.abs(robust.x - [1, 0.1]).max() < np.abs(plain.x - [1, 0.1]).max() / 3
    assert (robust.errors < plain.errors / 3).all()


def test_a_minimum_far_off_is_told():
    far = rt.fit(pendulum(), swung(4), {"l": 0.1}, {"c": 0.1}, start={theta: 1.0})
    assert abs(far["l"] - 1) > 0.5  # another minimum, whose interval does not hold
    assert "What is predicted explains less than half of how `theta` changes" in str(far)
    near = rt.fit(pendulum(), swung(4), {"l": 1.02}, {"c": 0.1}, start={theta: 1.0})
    assert "less than half" not in str(near)


def test_bounds_hold_and_are_told():
    found = rt.fit(
        pendulum(), swung(5), {"l": 1.02, "c": 0.2}, start={theta: 1.0}, bounds={"c": (0.15, 1)}
    )
    assert found["c"] == 0.15
    assert "At a bound, which holds it: `c`" in str(found)
    assert np.isnan(found.errors[1])
    assert np.isfinite(found.errors[0])


def test_several_motions_have_starts_of_their_own():
    found = rt.fit(pendulum(), [swung(6), swung(7)], {"l": 1.02, theta: [0.95, 1.05]}, {"c": 0.1})
    assert found.names == ("l", "theta of motion 1", "theta of motion 2")
    assert np.abs((found.x - 1) / found.errors).max() < 4


def coverage(times):
    t, inside = np.linspace(0, 4, 41), np.zeros(3)
    motion = rt.simulate(pendulum(), {"l": 1.0, "c": 0.1}, {theta: 1.0}, t)
    for seed in range(times):
        rng = np.random.default_rng([11, seed])
        data = {"t": t, "theta": motion["theta"] + 0.02 * rng.normal(size=41)}
        found = rt.fit(pendulum(), data, {"l": 1.02, "c": 0.12, theta: 0.97}, level=0.9)
        low, high = found.intervals.T
        inside += (low <= [1, 0.1, 1]) & (high >= [1, 0.1, 1])
    return inside / times


def test_intervals_hold_about_as_often_as_they_say():
    assert (coverage(12) >= 0.5).all()  # seven or more of twelve miss with a probability below 1e-4


@pytest.mark.slow
def test_intervals_hold_as_often_as_they_say():
    found = coverage(200)
    assert (np.abs(found - 0.9) < 3.5 * np.sqrt(0.9 * 0.1 / 200)).all(), found


def test_residuals_and_columns_are_drawn():
    plt = pytest.importorskip("matplotlib.pyplot")
    found = rt.fit(pendulum(), swung(8), {"l": 1.02}, {"c": 0.1}, start={theta: 1.0})
    for shown in (None, "theta"):
        axes = rt.plot(found, shown=shown)
        assert len(axes.lines) > 1
        plt.close(axes.figure)
    with pytest.raises(rt.DeclarationError, match="Did you mean `theta`"):
        rt.plot(found, shown="thet")
    plt.close("all")
    assert "standard error" in found._repr_html_()


T = [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("data", "unknown", "more", "said"),
    [
        ({"theta": T}, {"l": 1.0}, {}, "must have a column `t`.*`mode`.*`frequency`"),
        ([], {"l": 1.0}, {}, "`data` is empty"),
        ("swing.csv", {"l": 1.0}, {}, "must be a table: columns by name"),
        ({"t": T}, {"l": 1.0}, {}, "nothing measured"),
        ({"t": [0, 2, 1], "theta": T}, {"l": 1.0}, {}, "must rise. Got 2 followed by 1, in rows 2 and 3"),
        ({"t": T, "theta": T[:2]}, {"l": 1.0}, {}, "has 2 rows"),
        ({"t": T, "theta": ["a", "b", "c"]}, {"l": 1.0}, {}, "must be a column of numbers"),
        ({"t": T, "theta": [np.nan] * 3}, {"l": 1.0}, {}, "every row is NaN"),
        ({"t": T, "theta": [0, np.inf, 0]}, {"l": 1.0}, {}, "must be finite"),
        ({"t": T, "thet": T}, {"l": 1.0}, {}, "Did you mean `theta`"),
        ({"t": T, "theta": T}, {}, {}, "`unknown` is empty"),
        ({"t": T, "theta": T}, {"ll": 1.0}, {}, "no parameter, coordinate or velocity.*Did you mean `l`"),
        ({"t": T, "theta": T}, {"l": [1.0, 2.0]}, {}, "must be one number"),
        ({"t": T, "theta": T}, {"l": 1.0}, {"values": {"l": 1.0}}, "both known and unknown"),
        ({"t": T, "theta": T}, {"l": 1.0}, {"bounds": {"l": (3, 2)}}, "lower and an upper bound"),
        ({"t": T, "theta": T}, {"l": 1.0}, {"bounds": {"l": (2, 3)}}, "not within its bounds"),
        ({"t": T, "theta": T}, {"l": 1.0}, {"deviations": {"thet": 1}}, "no column of the data.*Did you mean"),
        ({"t": T, "theta": T}, {"l": 1.0}, {"deviations": {"theta": 0}}, "must be positive"),
        ({"t": T, "theta": T}, {"l": 1.0}, {"loss": "cauchy"}, '"squares" or "huber"'),
        ({"t": T, "theta": T}, {"l": 1.0}, {"level": 95}, "a probability between 0 and 1"),
        ({"mode": [0.5], "frequency": [3]}, {"l": 1.0}, {}, "counted from 0"),
        ({"mode": [0], "frequency": [-3]}, {"l": 1.0}, {}, "must be positive"),
        ({"mode": [3], "frequency": [3]}, {"l": 1.0}, {}, "there are 1 modes, counted from 0"),
        ({"mode": [0], "freqency": [3]}, {"l": 1.0}, {}, "Did you mean `frequency`"),
        ({"mode": [0], "theta": [3]}, {"l": 1.0}, {}, "one coordinate alone says nothing"),
        ({"mode": [0], "frequency": [3]}, {"theta": 1.0}, {}, "no table of the data has a column `t`"),
        ({"t": T, "theta": T}, {"l": 1.0}, {"guess": {"theta": 1.0}}, "`guess` is the rest that modes and answers"),
        ({"mode": [0], "frequency": [3]}, {"l": 1.0}, {"rtol": 1e-8}, "`rtol` is that of motions"),
        ({"frequency": T, "theta": T}, {"l": 1.0}, {}, "say what moved with unit amplitude"),
    ],
)  # fmt: skip
def test_bad_data_are_told(data, unknown, more, said):
    with pytest.raises(rt.RouthError, match=said):
        rt.fit(pendulum(), data, unknown, **({"values": {"c": 0.1}} | more))


def test_parameters_of_constraints_are_refused():
    rod = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=9.81 * y, constraints=[x**2 + y**2 - l**2]
    )
    with pytest.raises(rt.DerivationError, match="`l` in `unknown` is part of a constraint"):
        rt.fit(rod, {"t": T, "x": T}, {"l": 1.0}, start={x: 1.0})
