"""The chapter on a rigid body: integrals as they are written, and what they come to."""

from __future__ import annotations

import re

import sympy
from scipy.integrate import tplquad

import routh as rt
from routh.models import rigid

r, h, m, a = rt.parameters("r h m a")


def test_a_cone_in_integrals():
    """A place that is called like a parameter of the body has another name."""
    lecture = rt.derive(rigid.cone(r, h, mass=m))
    over = "(r_, 0, r*z/h), (z, 0, h), (phi, 0, 2*pi)"
    assert [str(each) for each in lecture["Matter"].formulas] == [
        "place = [r_*cos(phi), r_*sin(phi), z]",
        "matter = 3*m*r_/(pi*h*r**2)",
    ]
    assert str(lecture["Mass"].formulas[0]) == f"mass = Integral(3*m*r_/(pi*h*r**2), {over}) = m"
    assert str(lecture["Centre of mass"].formulas[2]).endswith("/m = 3*h/4")
    assert [str(each) for each in lecture["Inertia"].formulas[3:]] == [
        "inertia_11 = 3*(4*h**2 + r**2)*m/20 - 9*m*h**2/16 = 3*(h**2 + 4*r**2)*m/80",
        "inertia_22 = 3*(4*h**2 + r**2)*m/20 - 9*m*h**2/16 = 3*(h**2 + 4*r**2)*m/80",
        "inertia_33 = 3*m*r**2/10",
    ]


def test_the_written_integral_is_what_it_is_said_to_be():
    """The moment of a cone about its point, by quadrature of the formula that is printed."""
    said = str(rt.derive(rigid.cone(r, h, mass=m))["Inertia"].formulas[0])
    found = re.fullmatch(r"origin_11 = Integral\((.*), \(r_, 0, r\*z/h\), .*\) = (.*)", said)
    assert found is not None
    values = {"m": 2.0, "r": 0.5, "h": 1.5}
    names = sympy.symbols("r_ z phi m r h")
    known = {str(x): x for x in names}
    density, value = (sympy.sympify(part, locals=known) for part in found.groups())
    at = {known[name]: number for name, number in values.items()}
    f = sympy.lambdify(names[:3], density.subs(at))
    summed, _ = tplquad(f, 0, 2 * sympy.pi.evalf(), 0, 1.5, 0, lambda _, z: 0.5 * z / 1.5)
    assert abs(float(value.subs(at)) - summed) < 1e-10


def test_a_body_with_a_hole_says_so():
    body = rigid.disc(r, density=m) - rigid.disc(a, density=m).shifted([a, 0])
    lecture = rt.derive(body)
    assert "What is cut out counts as matter below zero." in str(lecture["Matter"])
    assert "origin_12" not in str(lecture)
    assert "\\mathrm{inertia}_{33}" in lecture.latex()


def test_a_body_about_its_middle_needs_no_steiner():
    assert "is the origin" in str(rt.derive(rigid.sphere(r, mass=m))["Inertia"])
