"""A system with other parts keeps what was not changed, whatever it is made of."""

from __future__ import annotations

import pytest

import routh as rt
from routh import at, ddt, diff, integral

x, y = rt.coordinates("x y")
m, mu, L = rt.parameters("m mu L")
F = rt.input("F")


def plain():
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    return rt.System(kinetic=T, forces={x: F}, constraints=[0, x - 1], declared=[mu])


def rubbing():
    contact = rt.friction(ddt(x), static=mu)
    return rt.System(kinetic=m * ddt(x) ** 2 / 2, constraints=[0, x - 1], friction=contact)


def beam():
    s = rt.space("s", 0, L)
    w = rt.field("w", s)
    return rt.System(
        kinetic=integral(ddt(w) ** 2 / 2, s),
        potential=integral(diff(w, s, 2) ** 2 / 2, s),
        constraints=[at(w, s, 0), at(diff(w, s), s, 0)],
    )


def discretized():
    continuous = beam()
    return rt.discretize(continuous, dict.fromkeys(continuous.fields, 3))


@pytest.mark.parametrize("made", [plain, rubbing, beam, discretized])
def test_changed_in_nothing_it_is_the_same(made):
    system = made()
    again = system.changed()
    assert again == system
    assert again.idle_constraints == system.idle_constraints
    assert again.parameters == system.parameters
    assert system.changed(name="other").title == "`other`"


def test_constraints_are_counted_as_given_in_every_phase():
    assert rubbing().phase(1).idle_constraints == (0,)
    assert rubbing().phase(0).parameters == rubbing().parameters  # those of the friction too


def test_energies_of_a_discretized_system_are_changed_before_it_is_discretized():
    with pytest.raises(rt.DeclarationError, match=r"Change system\.continuous, and discretize that"):
        discretized().changed(dissipation=[])
