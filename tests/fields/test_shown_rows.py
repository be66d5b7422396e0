"""Rows as they are shown: what is printed is read back and compared with the expression of the row."""

from __future__ import annotations

import pytest
import sympy

import routh as rt
from reading_rows import read, vocabulary
from routh import at, cos, ddt, diff, integral, norm2, rotation, sin, t, vector
from routh.language.fields import Field
from sampling import assert_same

L, R, J, rho, EI, EA, m, N, v, Om = rt.parameters("L R J rho EI EA m N v Om")
s = rt.space("s", 0, L)
w = rt.field("w", s)
theta, u = rt.coordinate("theta"), rt.input("u")
CLAMPED = [at(w, s, 0), at(diff(w, s), s, 0)]
BENDING = integral(EI / 2 * diff(w, s, 2) ** 2, s)
INERTIA = integral(rho / 2 * ddt(w) ** 2, s)
EI_s, N_s = sympy.symbols("EI_s N_s", cls=sympy.Function)


def turning(angle, position):
    return integral(rho / 2 * norm2(ddt(rotation(angle) @ position)), s)


SHORTER = R + s + rt.energies.foreshortening(w)
SYSTEMS = {
    "hub": rt.System(
        kinetic=J / 2 * ddt(theta) ** 2 + turning(theta, vector(R + s, w)),
        potential=BENDING, forces={theta: u}, constraints=CLAMPED,
    ),
    "turning beam": rt.System(
        kinetic=turning(Om * t, vector(SHORTER, w)), potential=BENDING, constraints=CLAMPED
    ),
    "turning hub and beam": rt.System(
        kinetic=J / 2 * ddt(theta) ** 2 + turning(theta, vector(SHORTER, w)),
        potential=BENDING, constraints=CLAMPED, dissipation=integral(m / 2 * ddt(w) ** 2, s),
    ),
    "moving string": rt.System(
        kinetic=integral(rho / 2 * (ddt(w) + v * diff(w, s)) ** 2, s),
        potential=integral(N / 2 * diff(w, s) ** 2, s), constraints=[at(w, s, 0), at(w, s, L)],
    ),
    "shaken tip": rt.System(
        kinetic=[integral(rho / 2 * (ddt(w) + v * t) ** 2, s), m / 2 * (ddt(at(w, s, L)) + v * t) ** 2],
        potential=BENDING, constraints=CLAMPED,
    ),
    "column": rt.System(
        kinetic=INERTIA, potential=integral(EI / 2 * diff(w, s) ** 2 + N * cos(w) + EA * diff(w, s) ** 4, s)
    ),
    "weights": rt.System(
        kinetic=integral(rho * (2 - s) / 2 * ddt(w) ** 2 + m * (1 + s) / 2 * ddt(diff(w, s)) ** 2, s),
        potential=integral(EI * (1 + s**2) / 2 * diff(w, s, 2) ** 2 + N * (L - s) / 2 * diff(w, s) ** 2
                           + EA * s * diff(w, s) * diff(w, s, 2), s),
    ),
    "spring at an end": rt.System(
        kinetic=INERTIA + m / 2 * ddt(theta) ** 2,
        potential=BENDING + EA * (at(w, s, L) - sin(theta)) ** 2 / 2,
        constraints=[*CLAMPED, at(diff(w, s), s, L) - theta], forces={theta: u},
    ),
}  # fmt: skip

VERBS = {
    "equations": lambda system: rt.equations(system, simplify=0.2),
    "linear": lambda system: rt.linear_equations(
        system, dict.fromkeys((*system.coordinates, *system.fields), 0), simplify=0.2
    ),
    "rest": lambda system: rt.equilibrium_equations(system, simplify=0.2, solve=0),
}


def along_a_polynomial(value):
    """The expression with a polynomial of the place for each field, and its integrals taken."""
    put = {}
    for f in value.atoms(Field):
        if f.end is None:
            shape = (1 + f.order) * s ** (2 + f.order) / 3 + s * (3 - f.order) + sympy.Rational(1, 7)
            put[f] = shape.diff(s, f.slope)
    return value.xreplace(put).doit()


def assert_read_back(found):
    """Every row as it is printed is the row, and so is what each name stands for."""
    words = vocabulary(found.system, found.where)
    for row in found.rows:
        shown = read(row.formula.text, words)
        assert_same(along_a_polynomial(shown - row.expression), sympy.S.Zero, digits=20)
    for line in str(found).splitlines():
        if line.startswith("where "):
            left, right = line.removeprefix("where ").split(" = ", 1)
            meant = words[left if left in words else left.partition("(")[0]]
            assert_same(along_a_polynomial(read(right, words) - meant), sympy.S.Zero, digits=20)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_rows_say_what_they_are(name, verb):
    found = VERBS[verb](SYSTEMS[name])
    assert_read_back(found)
    assert_read_back(found.expanded)


def partial(name, verb="equations"):
    return [str(row) for row in VERBS[verb](SYSTEMS[name]).partial]


def test_inertia_comes_first_and_flux_stays_under_its_derivative():
    (hub,) = partial("hub")
    assert hub.startswith("partial, w: rho*w_tt + rho*(")
    assert hub.endswith(")*theta'' - rho*theta'**2*w + EI*w_ssss = 0")
    assert partial("moving string") == ["partial, w: rho*w_tt + 2*rho*v*w_ts - (N - rho*v**2)*w_ss = 0"]
    beam = VERBS["linear"](SYSTEMS["turning beam"])
    assert str(beam.partial[0]) == ("partial, w: rho*w_tt - rho*Om**2*w - (N(s)*w_s)_s + EI*w_ssss = 0")
    assert str(beam).splitlines()[-1] == "where N(s) = rho*Om**2*(L - s)*(L + 2*R + s)/2"
    assert "w_s)_s" not in str(beam.expanded)


def test_functions_of_the_place_move_out_of_a_flux_without_slopes():
    beam = rho * ddt(w) ** 2 / 2 - EI * diff(w, s, 2) ** 2 / 2
    system = rt.System(lagrangian=integral(beam + N_s(s) * w * diff(w, s), s))
    assert str(rt.equations(system).partial[0]) == "partial, w: rho*w_tt + N_s_s(s)*w + EI*w_ssss = 0"


def test_what_varies_stands_together_under_a_derivative():
    tapered = integral(EI * (1 + s) / 2 * diff(w, s, 2) ** 2 + N * (L - s) / 2 * diff(w, s) ** 2, s)
    found = rt.equations(rt.System(kinetic=INERTIA, potential=tapered)).partial[0]
    assert str(found) == "partial, w: rho*w_tt - (N*(L - s)*w_s)_s + (EI*(s + 1)*w_ss)_ss = 0"


def test_a_force_that_is_a_value_at_an_end_has_no_slope():
    system = rt.System(kinetic=INERTIA, potential=integral(at(w, s, L) * diff(w, s), s))
    found = rt.equations(system)
    assert str(found.partial[0]) == "partial, w: rho*w_tt = 0"
    assert_read_back(found)


def test_running_integrals_have_a_name_and_a_place_of_their_own():
    found = rt.equations(SYSTEMS["turning beam"])
    assert str(found.partial[0]) == (
        "partial, w: rho*w_tt - 2*rho*Om*u_t - rho*Om**2*w - (N(s)*w_s)_s + EI*w_ssss = 0"
    )
    name, along = (str(line) for line in str(found).splitlines()[-2:])
    assert name == "where u(s) = Integral(w_s(sigma)**2, (sigma, 0, s))/2"
    assert along.startswith("where N(s) = rho*Integral(u_tt(sigma) + 2*Om*w_t(sigma) - Om**2*u(sigma)")
    assert r"\int_{0}^{s} w'(\sigma)^{2} \, d\sigma" in found.latex()


def test_rows_without_inertia_lead_with_a_plus():
    rest = rt.equilibrium_equations(SYSTEMS["shaken tip"])
    assert [str(row) for row in rest.rows] == [
        "partial, w: EI*w_ssss + rho*v = 0",
        "geometric, w(0): w(0) = 0",
        "geometric, w_s(0): w_s(0) = 0",
        "natural, w(L): EI*w_sss(L) - m*v = 0",
        "natural, w_s(L): EI*w_ss(L) = 0",
    ]
    (tip,) = (row for row in rt.equations(SYSTEMS["shaken tip"]).boundary if str(row.of) == "w(L)")
    assert str(tip) == "natural, w(L): m*w_tt(L) - EI*w_sss(L) + m*v = 0"


def test_a_reference_may_have_a_name_and_no_formula():
    system = rt.System(kinetic=INERTIA, potential=integral(EA / 4 * diff(w, s) ** 4 + N * w**3, s))
    named = rt.linear_equations(system, {w: "w*"})
    function = sympy.Function("shape")
    plain = rt.linear_equations(system, {w: function(s)})
    for one, other in zip(named.rows, plain.rows, strict=True):
        pairs = ((one, named.about[w].func), (other, function))
        assert_same(*(row.expression.replace(f, sympy.cos).doit() for row, f in pairs))
    assert "(w*)" in str(named)
    assert "shape" not in str(named)
    assert "{w}^{*}" in named.latex()
    assert "w*(s)" not in str(named)
    constant = rt.linear_equations(
        rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-cos(theta)), {theta: "theta*"}
    )
    assert str(constant.K[0]) == "cos((theta*))"
    with pytest.raises(rt.DeclarationError, match="no name of a symbol"):
        rt.linear_equations(system, {w: "z*"})


def test_a_long_reference_is_named_and_written_out_in_the_expression():
    system = rt.System(kinetic=INERTIA, potential=integral(EI / 2 * diff(w, s, 2) ** 2 + N * w**3, s))
    shape = sin(s / L) ** 2 * s**2 / (1 + L) - s**3 * cos(s) / (3 + L)
    found = rt.linear_equations(system, {w: shape}, simplify=0)
    assert "6*N*(w*)*w" in str(found.partial[0])
    assert_same(found.partial[0].coefficient(w), 6 * N * shape)
    assert_same(found.second_derivatives[s][w, w], -6 * N * shape)
    ((name, meant),) = found.where
    assert meant == shape
    assert str(found).splitlines()[-1].startswith("where (w*) = ")
    assert name == found.shown_derivatives[s][w, w] / (-6 * N)
