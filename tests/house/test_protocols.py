"""A verb that returns results of several kinds: all of them have what the protocol says, and with its type."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import routh as rt
from routh import cos, ddt
from routh.analysis.given import protocols

x, theta = rt.coordinates("x theta")
k = rt.parameter("k", 4.0)
s = rt.space("s", 0, 1)
w = rt.field("w", over=s)
SPRING = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2)
RUBBING = SPRING.changed(friction=rt.friction(ddt(x), static=1))
PENDULUM = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-k * cos(theta))
STRING = rt.System(
    kinetic=rt.integral(ddt(w) ** 2 / 2, s),
    potential=rt.integral(rt.diff(w, s) ** 2 / 2, s),
    constraints=[rt.at(w, s, 0), rt.at(w, s, 1)],
)


def motion(system=SPRING):
    return rt.simulate(system, {}, {x: 1.0}, [0, 0.5, 1.0], progress=False)


def rest(system=SPRING):
    return rt.equilibrium(system, {})


VARIANTS = {
    "Found": {"Equilibrium": rest, "Trajectory": motion, "StickSlip": lambda: motion(RUBBING)},
    "Motion": {"Trajectory": motion, "StickSlip": lambda: motion(RUBBING)},
    "Linear": {
        "LinearModel": lambda: rt.linearize(rest()),
        "LinearAlong": lambda: rt.linearize(motion()),
    },
    "Followed": {
        "Branch": lambda: rt.follow(rest(), k, 5),
        "PeriodicBranch": lambda: rt.follow(
            rt.periodic_motion(PENDULUM, {}, {theta: 1.0}, 3.3), "amplitude", 1.01
        ),
    },
    "Written": {
        "Equations": lambda: rt.equations(SPRING),
        "FieldEquations": lambda: rt.equations(STRING),
        "LinearEquations": lambda: rt.linear_equations(SPRING, {x: 0}),
        "LinearFieldEquations": lambda: rt.linear_equations(STRING, {w: 0}),
        "EquilibriumEquations": lambda: rt.equilibrium_equations(SPRING),
        "FieldEquilibriumEquations": lambda: rt.equilibrium_equations(STRING),
    },
    "Expanded": {
        "Expansion": lambda: rt.expand(PENDULUM, {theta: 0}),
        "FieldExpansion": lambda: rt.expand(STRING, {w: 0}),
        "Taylor": lambda: rt.expand(rest(PENDULUM)),
    },
    "ExpandedInSymbols": {
        "Expansion": lambda: rt.expand(PENDULUM, {theta: 0}),
        "FieldExpansion": lambda: rt.expand(STRING, {w: 0}),
    },
}
"""The kinds of results that each protocol is for."""


def members(protocol):
    """What a protocol asks for, with what it takes over from others."""
    own = (vars(each) for each in protocol.__mro__ if each.__module__ == protocols.__name__)
    skip = ("__module__", "__doc__", "__init__", "__subclasshook__", "__parameters__")
    return {
        name
        for each in own
        for name, value in each.items()
        if name not in skip and (isinstance(value, property) or callable(value))
    }


CASES = [(protocol, kind) for protocol, kinds in VARIANTS.items() for kind in kinds]


@pytest.mark.parametrize(("protocol", "kind"), CASES)
def test_every_kind_of_result_has_what_its_protocol_says(protocol, kind):
    found = VARIANTS[protocol][kind]()
    assert type(found).__name__ == kind
    assert isinstance(found, getattr(rt.results, protocol))
    assert isinstance(found, rt.results.OfSystem)
    names = members(getattr(protocols, protocol))
    assert "system" in names
    for name in names:
        assert getattr(found, name) is not None


def test_isinstance_tells_protocols_apart():
    found, ran = rest(), motion()
    assert isinstance(found, rt.results.Found)
    assert not isinstance(found, (rt.results.Motion, rt.results.Linear, rt.results.Followed))
    assert not isinstance(ran, (rt.results.Linear, rt.results.Written, rt.results.Expanded))
    for protocol in VARIANTS:
        assert not isinstance({}, getattr(rt.results, protocol))


def test_isinstance_computes_nothing(monkeypatch):
    found = VARIANTS["Followed"]["Branch"]()
    monkeypatch.setattr(type(found), "verdicts", property(lambda _: pytest.fail("was computed")))
    assert isinstance(found, rt.results.Followed)


def test_every_protocol_is_held_to():
    own = {name for name, each in vars(protocols).items() if getattr(each, "_is_protocol", False)}
    assert own - {"Protocol"} == {*VARIANTS, "OfSystem"}


def test_what_is_written_is_shown_in_a_notebook():
    for kind in ("Written", "ExpandedInSymbols"):
        for made in VARIANTS[kind].values():
            found = made()
            assert found.latex() in found._repr_latex_()
            assert found.latex(cap=10**6) == found.latex()  # nothing here is too long to write out
            assert str(found)


def test_a_field_is_expanded_in_latex():
    assert r"\ddot{w} - w'' &= 0" in rt.expand(STRING, {w: 0}).latex()


@pytest.mark.slow
def test_a_type_checker_takes_every_kind_for_its_protocol(tmp_path):
    lines = ["from routh import results"]
    lines += [
        f"def _{k}(found: results.{kind}) -> results.{protocol}: return found"
        for k, (protocol, kind) in enumerate(CASES)
    ]
    written = tmp_path / "kinds.py"
    written.write_text("\n".join(lines))
    root = Path(rt.__file__).parents[2]
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(written)]
    found = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert "Success" in found.stdout, found.stdout
