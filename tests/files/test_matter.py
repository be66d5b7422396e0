"""Rigid bodies in model files: shapes, regions, holes, what is asked of them, and mistakes."""

from __future__ import annotations

import pytest
import sympy

import routh as rt
from sampling import assert_same

HEAD = """
name = "body"
[coordinates]
phi = {start = 0.3}
[parameters]
R = {value = 0.5, positive = true}
a = {value = 0.2, positive = true}
rho = {value = 3, positive = true}
g = 9.81
"""

DRILLED = f"""{HEAD}
[bodies]
plate = {{shape = "disc", radius = "R", density = "rho"}}
hole = {{shape = "disc", radius = "a", density = "rho", at = "[R/2, 0]"}}
wheel = {{parts = ["plate"], without = ["hole"], at = "[0, -R]"}}
[let]
c = "rotate(phi, centre(wheel))"
[energy]
kinetic = "rigid_body(wheel, [0, 0], phi)"
potential = "mass(wheel)*g*c[2]"
"""


def test_a_wheel_with_a_hole_hangs_on_its_rim():
    """By hand: I = rho pi (3/2 R^4 - a^4/2 - a^2 (R^2/4 + R^2)) about the nail."""
    model = rt.load(DRILLED)
    R, a, rho = (model.names[n] for n in ("R", "a", "rho"))
    phi = model.names["phi"]
    about = rho * sympy.pi * (3 * R**4 / 2 - a**4 / 2 - a**2 * R**2 * sympy.Rational(5, 4))
    assert_same(sympy.Add(*model.system.kinetic).diff(rt.ddt(phi), 2), about)


def test_it_is_saved_and_read_again(tmp_path):
    model = rt.load(DRILLED)
    again = rt.load(rt.save(model, tmp_path / "wheel.toml", values={"g": 1.6}))
    values = {"R": 0.5, "a": 0.2, "rho": 3, "g": 1.6}
    assert again.values == pytest.approx(values)
    rates = [rt.ddt(each.names["phi"]) for each in (model, again)]
    energies = [sympy.Add(*each.system.kinetic) for each in (model, again)]
    before, after = (T.xreplace({v: sympy.S.One}) for T, v in zip(energies, rates, strict=True))
    assert_same(before, after)


AREA = f"""{HEAD}
[spaces]
x = {{from = "-R", to = "R"}}
y = {{from = "-sqrt(R^2 - x^2)", to = "sqrt(R^2 - x^2)"}}
[let]
r = "rotate(phi, [x + R, y])"
[energy]
kinetic = "integral(rho/2*norm2(r'), [x, y])"
potential = "integral(rho*g*r[2], [x, y])"
"""


def test_an_area_is_an_integral_in_files_too(tmp_path):
    """A disc on its rim: 3/2 m R^2, and saved from the system the integral is there again."""
    model = rt.load(AREA)
    text = "phi: 3*pi*rho*R**4*phi''/2 + pi*rho*g*R**3*cos(phi) = 0"
    assert str(rt.equations(model.system)) == text
    path = rt.save(model.system, tmp_path / "disc.toml")
    assert "integral(integral(" in path.read_text("utf-8")
    assert str(rt.equations(rt.load(path).system)) == text


def test_what_bodies_are_asked():
    text = f"""{HEAD}
[spaces]
u = {{from = 0, to = 1}}
w = {{from = 0, to = "2*pi"}}
[bodies]
rod = {{shape = "rod", length = "R", density = "rho*(1 + x/R)", angle = "pi/2", at = "[0, R/2]"}}
egg = {{place = "[2*u*cos(w), u*sin(w)]", spaces = ["u", "w"], mass = "rho"}}
[energy]
kinetic = "(mass(rod) + moment(egg) + moment(egg, [1, 0]))*phi'^2/2"
potential = "g*centre(rod)[2]*cos(phi)"
"""
    model = rt.load(text)
    R, rho, g, phi = (model.names[n] for n in ("R", "rho", "g", "phi"))
    moments = rho * R + rho * sympy.Rational(5, 4) * 2 + rho
    assert_same(sympy.Add(*model.system.kinetic), moments * rt.ddt(phi) ** 2 / 2)
    assert_same(sympy.Add(*model.system.potential), g * (R / 2 + R / 12) * sympy.cos(phi))


ENERGY = """
[energy]
kinetic = "rigid_body(b, [0, 0], phi)"
"""

MISTAKES = {
    'b = {shape = "disk", radius = "R", mass = 1}': r"no shape 'disk'.*Did you mean `disc`",
    'b = {shape = "disc", radios = "R", mass = 1}': r"knows no `radios`.*Did you mean `radius`",
    'b = {shape = "disc", length = "R", mass = 1}': r"sizes of a disc are radius. Got: length",
    'b = {shape = "disc", radius = "R"}': r"either its `mass`",
    'b = {shape = "disc", radius = "R", density = "-rho"}': r"below zero at places",
    'b = {shape = "disc", radius = "R", density = "rho*(1 + q)"}': r"`q` is no name",
    'b = {shape = "disc", radius = -1, mass = 1}': r"must be above zero. Got -1",
    'b = {radius = "R", mass = 1}': r"A body has a `shape`.*Got: mass, radius",
    'b = {parts = ["c"]}': r"`c` is none of the bodies declared before. Known: nothing",
    'b = {place = "[1, 2]", spaces = ["s"], mass = 1}': r"`s` is none of the spaces",
    'd = {shape = "ring", radius = 1, mass = 1}\nb = {parts = ["d"], mass = 2}': r"mass from its parts",
}


@pytest.mark.parametrize(("table", "message"), MISTAKES.items())
def test_mistakes_are_told(table, message):
    with pytest.raises(rt.DeclarationError, match=message):
        rt.load(f"{HEAD}[bodies]\n{table}\n{ENERGY}")


@pytest.mark.parametrize(
    ("energy", "message"),
    [
        ("b*phi'^2", r"`b` is a body. Write mass\(b\)"),
        ("mass(phi)*phi'^2", r"is asked of a body, declared under \[bodies\]"),
        ("rigid_body(b, [0, 0])", r"`rigid_body` needs 3 arguments. Got 2"),
        ("rigid_body(b, [0, 0, 0], phi)", r"two components. Got 3"),
    ],
)
def test_mistakes_with_bodies_in_expressions_are_told(energy, message):
    body = 'b = {shape = "disc", radius = 1, mass = 1}'
    with pytest.raises(rt.DeclarationError, match=message):
        rt.load(f'{HEAD}[bodies]\n{body}\n[energy]\nkinetic = "{energy}"\n')
