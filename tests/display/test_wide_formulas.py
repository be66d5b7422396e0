"""Formulas in lines that fit: nothing is lost or moved, and widths are those that a browser finds."""

from __future__ import annotations

import re
import shutil
from importlib.resources import files

import pytest
import sympy

import routh as rt
from routh.display.formula_tree import latex_of, read, width
from routh.display.report.items import Maths, Rows
from routh.display.report.wide_tables import PAGE as TABLE
from routh.display.report.wide_tables import fitted_table
from routh.display.wide_formulas import PAGE, ROUNDING, blocks, fitted, too_large
from routh.mechanics.forms.printing import latex

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
A, B, C, X, Y = sympy.symbols("a b c_1 x y")
SUM = sympy.Add(*(k * X**k * sympy.sin(Y / k) for k in range(2, 30)), evaluate=False)
FORMULAS = {
    "a sum": rf"V = {latex(SUM)} = 0",
    "a bracket": rf"T = \frac{{m}}{{2}} \left({latex(SUM)}\right)^{{2}}",
    "a fraction": rf"\ddot{{x}} = \frac{{{latex(SUM)}}}{{{latex(SUM + 1)}}}",
    "a root": rf"r = \sqrt{{{latex(SUM)}}}",
    "a matrix": rf"M = \left[\begin{{matrix}}{latex(SUM)} & 0\\0 & {latex(SUM)}\end{{matrix}}\right]",
    "a product": "p = " + r" \left(a + b - c_{1} x + y^{2} \right)" * 9,
    "a list": r",\quad ".join(f"k_{{{k}}} = {k}.25" for k in range(20)),
    "rows": r"\begin{aligned} x &= " + latex(SUM) + r" \\ y_{1} &= - a \end{aligned}",
    "an integral": rf"T = \int\limits_{{0}}^{{L}} \left({latex(SUM)}\right) \, ds",
}
ADDED = r"\\begin\{aligned\}|\\end\{aligned\}|\\quad|\\cdot|\\\\|[&{}\s]"


@pytest.mark.parametrize("kind", FORMULAS)
def test_what_is_wide_is_broken_and_nothing_is_lost(kind):
    given = FORMULAS[kind]
    assert width(read(given)) > PAGE
    written = fitted([given])
    assert width(read(written)) <= PAGE + ROUNDING
    assert re.sub(ADDED, "", written) == re.sub(ADDED, "", given)  # the same signs in the same order
    assert written.count("{") == written.count("}")
    assert written.count(r"\left") == written.count(r"\right")
    assert written.count(r"\begin") == written.count(r"\end")
    assert latex_of(read(written)) == written
    assert fitted([written]) == written  # what fits stays


def test_lists_are_broken_behind_commas_and_sums_before_signs():
    lines = fitted([FORMULAS["a list"]]).split(r"\\")
    assert all(line.rstrip().endswith((r",\quad", r"\end{aligned}")) for line in lines)
    lines = fitted([FORMULAS["a sum"]]).split(r"\\")
    assert all(re.match(r" & \\quad [+-]", line) for line in lines[1:])


def test_what_fits_is_left_alone():
    for own in ("a + b", r"\begin{bmatrix} a + b & c \\ d & e \end{bmatrix}", r"x_{1} = \frac{a}{b}"):
        assert fitted([own]) == own
    assert fitted(["x &= 1"]) == "x = 1"
    assert fitted(["x &= -1", "y &= 2"]) == r"\begin{aligned} x &= -1 \\ y &= 2 \end{aligned}"
    assert fitted(["-a", "b"]) == r"\begin{aligned} & {-}a \\ & b \end{aligned}"


def test_a_very_tall_formula_comes_line_by_line():
    parts = blocks(" + ".join([rf"\left({latex(SUM)}\right)"] * 6))
    assert len(parts) == 6
    assert all(r"\begin{aligned}" in part and too_large(part) == 0 for part in parts)
    pile = r"\begin{bmatrix}" + r" \\ ".join([r"\frac{a}{b}"] * 40) + r"\end{bmatrix}"
    assert blocks(pile) == [pile]  # it has no lines to part, and is set smaller
    assert too_large(pile) > PAGE
    assert blocks("a + b") == ["a + b"]


def test_a_large_matrix_of_numbers_tells_its_width():
    numbers = " & ".join(["-0.123456"] * 14)
    own = rf"\begin{{bmatrix}} {numbers} \end{{bmatrix}}"
    assert fitted([own]) == own
    assert too_large(own) > PAGE


def test_formulas_in_tables_are_broken_too():
    row = (Maths(FORMULAS["a bracket"]), "at the tip", Maths("x"))
    table, left = fitted_table(Rows(("force", "at", "by"), (row,)))
    assert left == 0
    assert r"\begin{aligned}" in table.rows[0][0].latex
    assert table.rows[0][1:] == row[1:]
    small = Rows(("a", "b"), (("1", "2"),))
    assert fitted_table(small) == (small, 0.0)
    numbers = Rows(("",) * 12, (("-0.123456789",) * 12,), tuple(range(12)))
    assert fitted_table(numbers)[1] > TABLE


@pytest.mark.slow
def test_widths_are_those_of_the_page():
    """Not less than 2 % below what KaTeX sets, nor more than a third above."""
    if CHROMIUM is None:
        pytest.skip("widths are measured in Chromium, which is not installed")
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    theta, mass = rt.coordinate("theta1"), rt.parameter("mass")
    short = [r"\begin{bmatrix} 1 & 0 \\ -0.25 & 3.5 \end{bmatrix}", r"\mathcal{L} = T - V"]
    short += [
        latex(mass * theta.rate**2 * sympy.sqrt(theta) / 2),
        r"\frac{d}{dt} \frac{\partial L}{\partial x}",
    ]
    formulas = [*FORMULAS.values(), *map(fitted, ([f] for f in FORMULAS.values())), *short]
    assets = files("routh.display.report").joinpath("vendor")
    css, js = (assets.joinpath(f"katex.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    script = """async given => {
        const box = document.body.appendChild(document.createElement("span"));
        const found = [];
        for (const round of [0, 1]) {
            found.length = 0;
            for (const each of given) {
                katex.render("\\\\displaystyle " + each, box);
                const own = box.querySelector(".katex-html");
                found.push(own.getBoundingClientRect().width / parseFloat(getComputedStyle(own).fontSize));
            }
            await document.fonts.ready;
        }
        return found;
    }"""
    with sync_api.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 20_000, "height": 800})
        page.set_content(
            f"<!DOCTYPE html><style>{css} body {{ white-space: nowrap; }}</style><script>{js}</script>"
        )
        measured = page.evaluate(script, formulas)
    for own, seen in zip(formulas, measured, strict=True):
        assert 0.98 * seen < width(read(own)) < 1.34 * seen + 1, own
