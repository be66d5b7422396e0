"""Displacements that constraints allow: the rank of the constraints, whatever their units."""

import numpy as np
import pytest

import routh as rt
from routh import ddt
from routh.analysis.linear.admissible import null_basis
from routh.numerics.solving.dependence import dependence

x, y, z = rt.coordinates("x y z")
KINETIC = (ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2
POTENTIAL = (x**2 + 4 * y**2 + 9 * z**2) / 2


@pytest.mark.parametrize("factor", [1.0, 1e6, 1e9, 1e12])
def test_constraints_of_any_steepness_hold_what_they_hold(factor):
    """y = 0 and x = 0 are left of x + k y = 0 and k y = 0: z alone moves, at 3 rad/s."""
    system = rt.System(kinetic=KINETIC, potential=POTENTIAL, constraints=[x + factor * y, factor * y])
    linear = rt.linearize(rt.equilibrium(system, {}))
    np.testing.assert_allclose(np.abs(linear.Z[:, 0]), [0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(rt.modes(linear).frequencies, [3.0], rtol=1e-14)


@pytest.mark.parametrize("units", [(1, 1, 1), (1, 1e-5, 1e5), (1e-6, 1, 1e5)])
def test_rank_is_the_same_for_sentences_and_for_displacements(units):
    generator = np.random.default_rng(7)
    for rank in (1, 2):
        J = generator.normal(size=(3, rank)) @ generator.normal(size=(rank, 3)) * np.array(units)
        assert dependence(J).rank == rank
        assert null_basis(J[None]).shape == (1, 3, 3 - rank)


def test_what_is_rounding_beside_its_row_holds_nothing():
    J = np.array([[[1.0, 3e-17, 0.0], [1.0, 0.0, 0.0]]])
    assert null_basis(J).shape == (1, 3, 2)


def test_velocity_constraints_too_near_to_dependent_are_refused_in_a_sentence():
    rows = [ddt(x) + 1e10 * ddt(y) + z * ddt(z), 1e10 * ddt(y) + x * ddt(z)]
    system = rt.System(kinetic=KINETIC, potential=POTENTIAL, constraints=rows)
    linear = rt.linearize(rt.equilibrium(system, {}))
    with pytest.raises(rt.DerivationError, match="so near to dependent on each other"):
        rt.modes(linear)


@pytest.mark.parametrize("eps", [1e-3, 1e-10, 1e-12])
def test_inputs_in_constraints_count_as_many_rows_as_the_motions_do(eps):
    x, y, z = rt.coordinates("x y z")
    u1, u2 = rt.inputs("u1 u2")
    system = rt.System(
        kinetic=(x.rate**2 + eps**2 * y.rate**2 + z.rate**2) / 2,
        potential=(z**2 + x * z + 3 * eps * y * z + eps**2 * y**2) / 2,
        constraints=[x + eps * y - u1, x - u2],
    )
    linear = rt.linearize(rt.equilibrium(system, {}))
    # x = u2 and eps y = u1 - u2, so that V_z = z + u2/2 + 3 (u1 - u2)/2, whatever y is counted in
    columns = dict(zip(map(str, linear.inputs), linear.B[0] / linear.Z[2, 0], strict=True))
    assert columns["u1"] == pytest.approx(-1.5)
    assert columns["u2"] == pytest.approx(1.0)


@pytest.mark.parametrize("f", [1.0, 1e9, 1e12])
def test_constraints_with_slopes_far_apart_leave_all_digits(f):
    x, y, z = rt.coordinates("x y z")
    system = rt.System(
        kinetic=(x.rate**2 + y.rate**2 + z.rate**2) / 2,
        potential=(x**2 + 4 * y**2 + 9 * z**2) / 2,
        constraints=[x + f * y, f * y + z],
    )
    found = rt.modes(rt.linearize(rt.equilibrium(system, {}))).frequencies
    assert found == pytest.approx([np.sqrt((10 + 4 / f**2) / (2 + 1 / f**2))], rel=1e-12)
