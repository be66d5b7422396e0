"""The same question has the same answer above and below 500 coordinates, where matrices are sparse."""

import numpy as np
import pytest

import routh as rt
from routh import Status, at, ddt, diff, integral, sin, t

s = rt.space("s", 0, 1)
w = rt.field("w", s)
u = rt.input("u")
CLAMPED = [at(w, s, 0), at(diff(w, s), s, 0)]
KINETIC = integral(ddt(w) ** 2 / 2, s)
BENDING = integral(diff(w, s, 2) ** 2 / 2, s)
TIP = at(w, s, 1)

SIZES = pytest.mark.parametrize("elements", [20, 251])


def _beam(elements, more=0, **particulars):
    system = rt.System(kinetic=KINETIC, potential=BENDING + more, **particulars)
    return rt.discretize(system, {w: rt.Elements(elements)})


@SIZES
def test_an_input_that_rises_leaves_no_rest(elements):
    beam = _beam(elements, forces=[rt.force([u], at=[TIP])], constraints=CLAMPED)
    assert rt.equilibrium(beam, {}, inputs={u: 0.1}).converged
    with pytest.raises(rt.NoEquilibrium, match="its equations change with time"):
        rt.equilibrium(beam, {}, inputs={u: 0.1, ddt(u): 1.0})


@SIZES
def test_what_is_shaken_has_a_status_where_nothing_is_raised(elements):
    beam = _beam(elements, forces=[rt.force([sin(t)], at=[TIP])], constraints=CLAMPED)
    found = rt.equilibrium(beam, {}, raises=False)
    assert found.status is Status.TIME_DEPENDENT


@SIZES
def test_a_missing_support_has_a_status_where_nothing_is_raised(elements):
    beam = _beam(elements, integral(w, s))
    assert not rt.equilibrium(beam, {}, raises=False).converged
    with pytest.raises(rt.NoEquilibrium, match="no stiffness, and a force acts along it"):
        rt.equilibrium(beam, {})


@SIZES
def test_time_that_leaves_the_linear_model_alone_is_no_obstacle(elements):
    beam = _beam(elements, (1 + sin(t) / 2) * TIP**4, constraints=CLAMPED)
    linear = rt.linearize(rt.equilibrium(beam, {}))
    assert linear.time is None
    first = rt.modes(linear, count=1).frequencies[0]
    assert first == pytest.approx(1.8751040687**2, rel=1e-6)


@SIZES
def test_a_spring_that_changes_with_time_is_frozen_on_purpose_only(elements):
    """With k = 2 + sin t at the tip: frozen at t = pi/2 it is the beam with a spring of 3."""
    rest = rt.equilibrium(_beam(elements, (2 + sin(t)) / 2 * TIP**2, constraints=CLAMPED), {})
    with pytest.raises(rt.DerivationError, match=r"depends on time.*`K \+ H` changes"):
        rt.linearize(rest)
    frozen = rt.modes(rt.linearize(rest, time=np.pi / 2), count=2)
    steady = rt.equilibrium(_beam(elements, 3 * TIP**2 / 2, constraints=CLAMPED), {})
    expected = rt.modes(rt.linearize(steady), count=2)
    np.testing.assert_allclose(frozen.frequencies, expected.frequencies, rtol=1e-12)
    assert "decide nothing" in str(frozen)
    assert "decide nothing" not in str(expected)


@SIZES
def test_an_input_that_changes_what_it_does_is_seen(elements):
    """B changes with time while M, C and K stay."""
    beam = _beam(elements, forces=[rt.force([u * sin(t)], at=[TIP])], constraints=CLAMPED)
    with pytest.raises(rt.DerivationError, match="although its equilibrium does not: `B` changes"):
        rt.linearize(rt.equilibrium(beam, {}))
