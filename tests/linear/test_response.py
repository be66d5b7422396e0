"""Frequency responses against exact transfer functions, at and near resonances."""

import mpmath
import numpy as np
import pytest

import routh as rt
from routh import ddt

x, y = rt.coordinates("x y")
f, b = rt.inputs("f b")
k, c = rt.parameters("k c")


def exact(M, C, K, force, w):
    """(s^2 M + s C + K)^-1 f with fifty digits, w being the number that its double is."""
    with mpmath.workdps(50):
        s = mpmath.mpc(0, mpmath.mpf(float(w)))
        A = mpmath.matrix(M) * s**2 + mpmath.matrix(C) * s + mpmath.matrix(K)
        return [complex(z) for z in mpmath.lu_solve(A, mpmath.matrix(force))]


def pair(**more):
    """Two masses that three equal springs hold: frequencies 1 and the root of 3."""
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    return rt.System(kinetic=T, potential=(x**2 + y**2 + (x - y) ** 2) / 2, **more)


def test_at_an_undamped_frequency_the_answer_is_infinite_and_said_so():
    linear = rt.linearize(rt.equilibrium(pair(forces={x: f}), {}))
    w = [0.5, 1.0, 1.5, np.sqrt(3.0)]
    found = rt.frequency_response(linear, f, [x, y, x - y, x + y], w)
    assert found.resonant.tolist() == [False, True, False, True]
    shown = [[0, 0, 0, 0], [1, 1, 0, 1], [0, 0, 0, 0], [1, 1, 1, 0]]  # which outputs show the mode
    np.testing.assert_array_equal(np.isinf(found.transfer), np.array(shown, dtype=bool))
    assert found.remark.startswith("At 1, 1.73205 rad/s the input excites an undamped resonance")
    assert found.remark in str(found)
    # the other mode answers as if it were alone: 1/(3 - 1) of x - y at 1, of x + y 1/(1 - 3)
    np.testing.assert_allclose(
        [found.transfer[1, 2], found.transfer[3, 3]], [1 / 2, -1 / 2], rtol=1e-12
    )
    for row in (0, 2):
        z = exact([[1, 0], [0, 1]], [[0, 0], [0, 0]], [[2, -1], [-1, 2]], [1, 0], w[row])
        np.testing.assert_allclose(found.transfer[row], [*z, z[0] - z[1], z[0] + z[1]], rtol=1e-13)


def test_resonances_between_the_frequencies_are_told():
    linear = rt.linearize(rt.equilibrium(pair(forces={x: f}), {}))
    found = rt.frequency_response(linear, f, x, [0.5, 1.5, 2.5])
    np.testing.assert_allclose(found.resonances, [1, np.sqrt(3.0)], rtol=1e-14)
    assert np.isfinite(found.transfer).all()
    assert found.remark.startswith("At 1, 1.73205 rad/s the input excites an undamped resonance")
    assert rt.frequency_response(linear, f, x, [1.2, 1.5]).remark == ""
    both = rt.linearize(rt.equilibrium(pair(forces={x: f, y: f}), {}))  # drives x + y alone
    np.testing.assert_allclose(rt.frequency_response(both, f, x, [0.1, 9]).resonances, [1], rtol=1e-14)
    damped = rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=x**2, dissipation=c * ddt(x) ** 2, forces={x: f}
    )
    weak = rt.linearize(rt.equilibrium(damped, {"c": 1e-7}))
    assert not len(rt.frequency_response(weak, f, x, [0.1, 9]).resonances)


def test_a_resonance_that_is_not_excited_does_not_matter():
    linear = rt.linearize(rt.equilibrium(pair(forces={x: f, y: f}), {}))
    found = rt.frequency_response(linear, f, [x, y], [np.sqrt(3.0)])
    np.testing.assert_allclose(found.transfer, [[-0.5, -0.5]], rtol=1e-12)
    assert not found.resonant.any()
    assert found.remark == ""


@pytest.mark.parametrize("off", [0.0, 1e-15, 1e-14, 1e-12, 1e-9, 1e-4])
def test_near_a_resonance_the_answer_has_its_digits_or_is_infinite(off):
    linear = rt.linearize(rt.equilibrium(pair(forces={x: f}), {}))
    for base in (1.0, np.sqrt(3.0)):
        w = base * (1 + off)
        found = rt.frequency_response(linear, f, x, [w])
        if found.resonant.any():
            assert off < 1e-13
            assert np.isinf(found.transfer).all()
        else:
            z = exact([[1, 0], [0, 1]], [[0, 0], [0, 0]], [[2, -1], [-1, 2]], [1, 0], w)[0]
            np.testing.assert_allclose(found.transfer[0, 0], z, rtol=0.02 if off < 1e-9 else 1e-6)


def test_damping_bounds_the_answer():
    system = rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2, dissipation=c * ddt(x) ** 2 / 2, forces={x: f}
    )
    for damping in (1e-1, 1e-6, 1e-10):
        linear = rt.linearize(rt.equilibrium(system, {"k": 4, "c": damping}))
        found = rt.frequency_response(linear, f, x, [2.0])
        np.testing.assert_allclose(found.transfer[0, 0], 1 / (2j * damping), rtol=1e-12)
        assert found.remark == ""


def test_batches_and_grids_have_infinity_just_where_it_is():
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2, forces={x: f})
    linear = rt.linearize(rt.equilibrium(system, {"k": [1.0, 4.0, 9.0]}))
    w = np.array([1.0, 2.0, 2.5])
    found = rt.frequency_response(linear, f, x, w)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(found.transfer[..., 0].real, 1 / (np.array([[1], [4], [9]]) - w**2))
    assert found.resonant.sum() == 2


def test_a_free_body_under_a_constant_force_has_no_bound():
    system = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=(x - y) ** 2, forces={x: f})
    found = rt.frequency_response(rt.linearize(rt.equilibrium(system, {})), f, [x, x - y], [0.0, 1.0])
    assert np.isinf(found.transfer[0, 0])
    # half of the force stretches the spring of stiffness 2 between the two
    np.testing.assert_allclose(found.transfer[0, 1], 1 / 4, rtol=1e-12)
    z = exact([[1, 0], [0, 1]], [[0, 0], [0, 0]], [[2, -2], [-2, 2]], [1, 0], 1.0)
    np.testing.assert_allclose(found.transfer[1], [z[0], z[0] - z[1]], rtol=1e-13)


def test_random_models_answer_as_their_exact_transfer_functions():
    generator = np.random.default_rng(16)
    for _ in range(6):
        m1, m2, k1, k2, c1 = generator.uniform(0.2, 3.0, 5)
        system = rt.System(
            kinetic=(m1 * ddt(x) ** 2 + m2 * ddt(y) ** 2) / 2,
            potential=(k1 * x**2 + k2 * (x - y) ** 2) / 2,
            dissipation=c1 * ddt(y) ** 2 / 2,
            forces={y: f},
        )
        w = generator.uniform(0.1, 4.0, 3)
        linear = rt.linearize(rt.equilibrium(system, {}))
        found = rt.frequency_response(linear, f, [x, y], w).transfer
        for row, each in zip(found, w, strict=True):
            K = [[k1 + k2, -k2], [-k2, k2]]
            z = exact([[m1, 0], [0, m2]], [[0, 0], [0, c1]], K, [0, 1], each)
            np.testing.assert_allclose(row, z, rtol=1e-11)


def test_a_soft_motion_beside_a_stiff_one_is_right_or_nan():
    for stiff in (1e3, 1e9, 1e14, 1e16):
        system = rt.System(
            kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
            potential=stiff * (x - y) ** 2 + x**2,
            forces={x: f},
        )
        found = rt.frequency_response(rt.linearize(rt.equilibrium(system, {})), f, x, [0.3])
        z = exact([[1, 0], [0, 1]], [[0] * 2] * 2,
                  [[mpmath.mpf(2 * stiff) + 2, -2 * stiff], [-2 * stiff, 2 * stiff]], [1, 0], 0.3)[0]  # fmt: skip
        lost = bool(np.isnan(found.transfer).any())
        assert lost == ("lost their digits" in found.remark)
        assert lost or abs(found.transfer[0, 0] - z) < 0.02 * abs(z)


# An input that carries a coordinate along through a constraint ------------------------------------


def carried():
    """A mass x on a cart y that a constraint moves by the input b: x'' = -k (x - b)."""
    return rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=k * (x - y) ** 2 / 2,
        constraints=[y - b],
    )


def test_a_coordinate_that_an_input_moves_through_a_constraint_answers():
    linear = rt.linearize(rt.equilibrium(carried(), {"k": 4}))
    w = np.array([0.5, 1.0, 3.0])
    found = rt.frequency_response(linear, b, [x, y, x - y, ddt(y), ddt(x, 2)], w)
    passed = 4 / (4 - w**2)
    wanted = [passed, np.ones(3), passed - 1, 1j * w, -(w**2) * passed]
    np.testing.assert_allclose(found.transfer, np.array(wanted).T, rtol=1e-12, atol=1e-14)


def test_free_motions_at_and_near_zero_are_not_called_still():
    """Exact: a mass with a damper has |x'| = 1/|1 + i w|; free masses on a spring |x''| = 1/2 for small w."""
    x, y = rt.coordinates("x y")
    f = rt.input("f")
    damped = rt.System(
        kinetic=ddt(x) ** 2 / 2, dissipation=ddt(x) ** 2 / 2, forces={x: f}, potential=0 * x
    )
    found = rt.frequency_response(
        rt.linearize(rt.equilibrium(damped, {}, inputs={f: 0})), f, [x, ddt(x)], [0.0, 1e-8]
    )
    assert np.isinf(found.magnitude[0, 0])
    assert np.isnan(found.magnitude[0, 1])
    assert found.magnitude[1] == pytest.approx([1e8, 1.0])
    assert "no stiffness" in found.remark
    assert "undamped" not in found.remark
    pair = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=2 * (x - y) ** 2, forces={x: f})
    linear = rt.linearize(rt.equilibrium(pair, {}, inputs={f: 0}))
    found = rt.frequency_response(linear, f, [ddt(x, 2)], [1e-8, 1e-3]).magnitude[:, 0]
    assert np.isnan(found[0]) or found[0] == pytest.approx(0.5, rel=1e-2)
    assert found[1] == pytest.approx(0.5, rel=1e-6)


def test_of_equal_frequencies_the_one_that_is_driven_resonates():
    x, y = rt.coordinates("x y")
    f = rt.input("f")
    twins = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=2 * (x**2 + y**2), forces={x: f}
    )
    linear = rt.linearize(rt.equilibrium(twins, {}, inputs={f: 0}))
    found = rt.frequency_response(linear, f, [x, y], [2.0]).magnitude[0]
    assert np.isinf(found[0])
    assert found[1] == 0


def test_a_vibration_absorber_answers_as_by_hand():
    x, y, u = *rt.coordinates("x y"), rt.input("u")
    m1, m2, k1, k2, c = rt.parameters("m1 m2 k1 k2 c")
    system = rt.System(
        kinetic=(m1 * x.rate**2 + m2 * y.rate**2) / 2,
        potential=(k1 * x**2 + k2 * (x - y) ** 2) / 2,
        dissipation=c * (x.rate - y.rate) ** 2 / 2,
        forces={x: u},
    )
    values = {"m1": 2.0, "m2": 0.2, "k1": 50.0, "k2": 5.0, "c": 0.05}
    w = np.linspace(1, 9, 41)
    found = rt.frequency_response(
        rt.linearize(rt.equilibrium(system, values)), u, [x, x.rate, x - y], w
    )
    for k, s in enumerate(1j * w):
        Z = np.array(
            [[2 * s**2 + 0.05 * s + 55, -0.05 * s - 5], [-0.05 * s - 5, 0.2 * s**2 + 0.05 * s + 5]]
        )
        answer = np.linalg.solve(Z, [1, 0])
        assert found.transfer[k] == pytest.approx(
            [answer[0], s * answer[0], answer[0] - answer[1]], rel=1e-10
        )
    assert found.magnitude.shape == (41, 3)
    assert (np.diff(found.phase[:, 0]) < 3.2).all()


def test_a_base_that_is_moved_acts_by_its_acceleration():
    theta, b = rt.coordinate("theta"), rt.input("b")
    l, g = 1.3, 9.81
    r = rt.vector(b + l * rt.sin(theta), -l * rt.cos(theta))
    system = rt.System(kinetic=rt.norm2(rt.ddt(r)) / 2, potential=g * r[1])
    w = np.array([0.5, 2.0, 6.0])
    found = rt.frequency_response(rt.linearize(rt.equilibrium(system, {})), "b", theta, w)
    assert found.transfer[:, 0] == pytest.approx(w**2 / (l * (g / l - w**2)), rel=1e-12)


def test_bad_responses():
    x, u = rt.coordinate("x"), rt.input("u")
    system = rt.System(kinetic=x.rate**2 / 2, potential=2 * x**2, forces={x: u})
    linear = rt.linearize(rt.equilibrium(system, {}))
    with pytest.raises(
        rt.DeclarationError, match=r"`input` must be an input of the system: u. Got 'w'"
    ):
        rt.frequency_response(linear, "w", x, [1.0])
    assert "At 2 rad/s the input excites an undamped resonance" in str(
        rt.frequency_response(linear, u, x, [2.0])
    )
    with pytest.raises(rt.DerivationError, match="needs a LinearModel"):
        rt.frequency_response(3, u, x, [2.0])
