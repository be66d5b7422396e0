"""Derivatives of frequency responses, by hand and against differences."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import routh as rt
from routh import cos, ddt


def test_a_driven_oscillator_by_hand():
    """z = 1/(k - m w^2 + i c w): dz/dk = -z^2, dz/dm = w^2 z^2, dz/dc = -i w z^2."""
    x, u, (m, c, k) = rt.coordinate("x"), rt.input("u"), rt.parameters("m c k")
    system = rt.System(
        kinetic=m * ddt(x) ** 2 / 2,
        potential=k * x**2 / 2,
        dissipation=c * ddt(x) ** 2 / 2,
        forces={x: u},
    )
    linear = rt.linearize(rt.equilibrium(system, {"m": 2.0, "c": 0.3, "k": 5.0}))
    w = np.array([0.0, 0.5, 1.5, 4.0])
    found = rt.frequency_response(linear, u, x, w).sensitivity("m", "c", "k")
    z = 1 / (5.0 - 2.0 * w**2 + 0.3j * w)
    by_hand = np.stack([w**2 * z**2, -1j * w * z**2, -(z**2)], axis=1)
    np.testing.assert_allclose(found.transfer[:, 0], by_hand, rtol=1e-12)
    np.testing.assert_allclose(
        found.magnitude[:, 0], (z.conj()[:, None] * by_hand).real / np.abs(z)[:, None], rtol=1e-12
    )
    np.testing.assert_allclose(found.phase[:, 0], (by_hand / z[:, None]).imag, rtol=1e-12, atol=1e-15)
    assert "by m, c, k" in str(found)


@pytest.mark.parametrize("driven", ["u", "z"])
def test_inputs_in_forces_and_in_constraints_against_differences(driven):
    x, y = rt.coordinates("x y")
    k, F, m, l, c = rt.parameters("k F m l c")
    u, z = rt.inputs("u z")
    system = rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=k * x**2 / 2 - F * x + m * 9.81 * y,
        dissipation=c * ddt(x) ** 2 / 2,
        forces={x: u * cos(k * y)},
        constraints=[(x**2 + (y - z) ** 2 - l**2) / 2],
    )
    values = {"k": 2.0, "F": 4.0, "m": 1.0, "l": 1.0, "c": 0.3, "u": 0.2, "z": 0.1}

    def answers(changed):
        own = {name: changed[name] for name in ("k", "F", "m", "l", "c")}
        rest = rt.equilibrium(
            system,
            own,
            guess={"x": 0.3, "y": -0.9},
            inputs={"u": changed["u"], "z": changed["z"]},
        )
        outputs = [x * y * k + u * x, ddt(y) * x, y]
        return rt.frequency_response(rt.linearize(rest), driven, outputs, [0.0, 1.0, 3.0, 9.0])

    found = answers(values).sensitivity(*values)
    h = 1e-5
    for k_, name in enumerate(values):
        up, down = (answers({**values, name: values[name] + step}) for step in (h, -h))
        np.testing.assert_allclose(
            found.transfer[..., k_], (up.transfer - down.transfer) / (2 * h), rtol=1e-6, atol=1e-7
        )


def test_a_batch_is_its_points_and_resonances_have_no_derivative():
    x, u, k = rt.coordinate("x"), rt.input("u"), rt.parameter("k")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2, forces={x: u})
    linear = rt.linearize(rt.equilibrium(system, {"k": np.array([4.0, 9.0])}))
    found = rt.frequency_response(linear, u, x, [1.0, 2.0]).sensitivity()
    assert found.transfer.shape == (2, 2, 1, 1)
    assert np.isnan(found.transfer[0, 1]).all()
    np.testing.assert_allclose(found.transfer[:, 0, 0, 0].real, [-1 / 9, -1 / 64], rtol=1e-12)
    assert found.transfer[1, 1, 0, 0].real == pytest.approx(-1 / 25)


def test_a_body_answers_with_its_parameters():
    """A string pulled at its middle by a spread force: z scales as 1/S at rest, so S dz/dS = -z."""
    S, rho = rt.parameters("S rho")
    s, u = rt.space("s", 0, 1), rt.input("u")
    w = rt.field("w", s)
    system = rt.System(
        kinetic=rt.integral(rho * ddt(w) ** 2 / 2, s),
        potential=rt.integral(S * rt.diff(w, s) ** 2 / 2, s),
        forces=[rt.force(rt.vector(u * s), at=rt.vector(w))],
        constraints=[rt.at(w, s, 0)],
    )
    linear = rt.linearize(rt.equilibrium(rt.discretize(system, {w: 4}), {"S": 2.0, "rho": 1.0}))
    response = rt.frequency_response(linear, u, rt.at(w, s, 1), [0.0, 0.7])
    found = response.sensitivity("S", "rho")
    np.testing.assert_allclose(2.0 * found.transfer[0, 0], [-response.transfer[0, 0], 0.0], atol=1e-12)
    # z depends on S and rho as f(w^2 rho/S)/S, so that S z_S + rho z_rho = -z
    total = found.transfer[1, 0] @ [2.0, 1.0]
    assert total == pytest.approx(-response.transfer[1, 0], rel=1e-10)


def test_kinked_outputs_are_refused():
    x, u, k = rt.coordinate("x"), rt.input("u"), rt.parameter("k")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2, forces={x: u})
    linear = rt.linearize(rt.equilibrium(system, {"k": 4.0}))
    response = rt.frequency_response(linear, u, x + x * sympy.Abs(x), [1.0])
    with pytest.raises(rt.DerivationError, match="no second derivatives at the equilibrium"):
        response.sensitivity()
