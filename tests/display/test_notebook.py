"""What notebooks show: every noun has a view, of valid markup, bounded size and the numbers of the result."""

from __future__ import annotations

import enum
import re
import shutil
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Protocol

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sympy

import routh as rt
from routh import cos, ddt, sin
from routh.display.colours import BRIGHT, VERDICTS
from routh.display.notebook import formula_blocks as md
from routh.display.notebook import html_pieces as page
from routh.display.notebook.formula_views import markdown
from routh.display.notebook.symbol_names import symbol
from routh.display.notebook.table_views import html

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
gallery = import_module("notebook_page")
sys.path.remove(str(ROOT / "docs"))

LARGEST = 150_000
"""Letters that a notebook has to hold for one result, picture and folds included."""

LONG = {
    "AppellEquations", "Branch", "CanonicalPoint", "Change", "Conserved", "Equations",
    "Equilibria of two coordinates", "Equilibrium of a beam", "EquilibriumEquations",
    "FieldEquilibriumEquations", "FieldExpansion", "Floquet", "Floquet, a chart", "FrequencyResponse",
    "HamelEquations", "Hamiltonian", "Legendre", "LinearEquations", "LinearFieldEquations", "Modes along a sweep",
    "Modes of a beam", "PeriodicBranch", "PeriodicMotion", "PeriodicPoint", "Phase", "Routhian", "Row",
    "SpecialPoint", "StickSlip", "Trajectory, a batch",
}  # fmt: skip
"""What takes longer to make or to draw."""

CASES = [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in gallery.RESULTS]


@cache
def made(name):
    return gallery.RESULTS[name]()


def view(result):
    """What a notebook shows of it, and in which language."""
    for kind in ("html", "markdown", "latex"):
        ask = getattr(result, f"_repr_{kind}_", None)
        if ask is not None:
            return kind, ask()
    raise AssertionError(f"{type(result).__name__} shows nothing")


class Balanced(HTMLParser):
    """Every tag that opens is closed, in order."""

    VOID = frozenset({"br", "hr", "img", "input", "meta", "link"})

    def __init__(self):
        super().__init__()
        self.open, self.tags = [], set()

    def handle_starttag(self, tag, _):
        self.tags.add(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag


def parsed(text):
    checker = Balanced()
    checker.feed(text)
    checker.close()
    assert checker.open == []
    return checker


def bare(text):
    """The words of HTML, without pictures, style and tags."""
    text = re.sub(r"<(svg|style)\b.*?</\1>", " ", text, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", text)


def numbers(text):
    return [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", bare(text))]


def nouns():
    """The classes of results: neither words, nor symbols, nor what several have in common."""
    every = [getattr(rt.results, name) for name in rt.results.__all__]
    apart = (enum.Enum, sympy.Basic, sympy.MatrixBase, Protocol)
    return [noun for noun in every if not any(kind in noun.__mro__ for kind in apart)]


def test_every_noun_shows_itself_and_has_a_view():
    from routh.display.notebook.view_kinds import html_of, markdown_of
    from routh.shown import as_markdown

    for noun in [*nouns(), rt.System]:
        if hasattr(noun, "_repr_html_") and noun.__name__ != "Animation":
            assert html_of.dispatch(noun) is not html_of.dispatch(object), noun
        elif getattr(noun, "_repr_markdown_", None) is as_markdown:
            assert markdown_of.dispatch(noun) is not markdown_of.dispatch(object), noun
        else:
            own = hasattr(noun, "_repr_latex_") or hasattr(noun, "_repr_markdown_")
            assert own or noun.__name__ == "Animation", noun


def test_the_page_has_every_noun():
    shown = {name.split(",")[0].split(" ")[0] for name in gallery.RESULTS}
    assert {noun.__name__ for noun in nouns()} <= shown


@pytest.mark.parametrize("name", CASES)
def test_what_is_shown_is_valid_small_and_asks_for_nothing(name):
    result = made(name)
    kind, text = view(result)
    assert 20 < len(text) < LARGEST
    assert "://" not in text or kind != "html" or "<iframe" in text
    assert not re.search(r"(?<![\w.&;])-0(?![.\d\w])", bare(text)), text
    assert not re.search(r"\bnan\b", bare(text))
    if kind == "html":
        parsed(text)
    elif kind == "markdown":
        assert parsed(text).tags <= {"code", "details", "summary"}
        assert text.count("$") % 2 == 0
        assert "**" in text or text.startswith("##")


def test_formulas_of_a_system_load_the_display_when_asked_and_never_the_engine():
    code = (
        "import sys, routh as rt; x = rt.coordinate('x');"
        " system = rt.System(kinetic=rt.ddt(x)**2/2, potential=x**2);"
        " assert not [m for m in sys.modules if m.startswith('routh.display')];"
        " assert 'V &=' in system._repr_markdown_();"
        " assert not {'casadi', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


HOSTILE = '<script>"a" & $x$ *b* | _c_</script>'


def hostile():
    x = rt.coordinate("x")
    rubs = rt.friction(ddt(x), static=1, name=HOSTILE)
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=2 * x**2, friction=rubs, name=HOSTILE)


@pytest.mark.parametrize(
    "make",
    [
        hostile,
        lambda: hostile().friction[0],
        lambda: rt.equations(hostile().changed(friction=None), simplify=0),
        lambda: rt.stick_zone(hostile(), {}),
        lambda: rt.equilibrium(hostile().changed(friction=None), {}),
        lambda: rt.modes(rt.linearize(rt.equilibrium(hostile().changed(friction=None), {}))),
        lambda: rt.simulate(hostile(), {}, {"x": 1.0}, [0, 0.5, 1.0], progress=False),
        lambda: rt.event("x", name=HOSTILE),
        lambda: rt.load(
            f"name = '{HOSTILE}'\ndescription = '{HOSTILE}'\n"
            '[coordinates]\nx = {}\n[energy]\nkinetic = "x\'^2/2"\n'
        ),
    ],
)
def test_names_are_text_whatever_they_are(make):
    kind, text = view(make())
    assert "<script" not in text
    assert "script" in text
    tags = parsed(text).tags
    if kind == "markdown":
        assert tags <= {"code", "details", "summary"}
        rendered = gallery.from_markdown(text)
        assert "<script" not in rendered
        assert "<em>" not in rendered
    assert "script" not in tags


def chain(n):
    """Masses in a row, between springs."""
    x = rt.coordinates(" ".join(f"x{k}" for k in range(1, n + 1)))
    k = rt.parameter("k", 2.0)
    stretches = [b - a for a, b in zip((0, *x), (*x, 0), strict=True)]
    return rt.System(
        kinetic=[ddt(q) ** 2 / 2 for q in x], potential=[k * d**2 / 2 for d in stretches], name="chain"
    )


def test_a_system_of_300_coordinates_is_shown_in_a_few_lines():
    system = chain(300)
    assert len(view(system)[1]) < 20_000
    assert "show 68 of 601 terms" in view(system)[1]
    rest = rt.equilibrium(system, {})
    linear = rt.linearize(rest)
    for result in (rest, linear, rt.modes(linear)):
        kind, text = view(result)
        parsed(text)
        assert kind == "html"
        assert len(text) < LARGEST
        assert "<details>" in text
    assert "300 &times; 300: show 24 &times; 24" in view(linear)[1]


def test_a_large_batch_shows_its_beginning_and_says_where_the_rest_is():
    x, (k, c) = rt.coordinate("x"), rt.parameters("k c")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2, dissipation=c * ddt(x) ** 2 / 2)
    grid = {"k": np.linspace(-1, 1, 100)[None, :], "c": np.linspace(0, 1, 100)[:, None]}
    rest = rt.equilibrium(system, grid)
    modes = rt.modes(rt.linearize(rest))
    plane = rt.stability_map(system, {name: x.ravel() for name, x in grid.items()})
    for result in (rest, rest.conditions, modes, modes.stability, plane):
        text = view(result)[1]
        parsed(text)
        assert len(text) < LARGEST
    assert "show 200 of 10000 points" in view(rest)[1]
    assert "10000 points; all are in <code>q</code>." in view(rest)[1]
    assert "all are in <code>frequencies</code>" in view(modes)[1]


def test_numbers_shown_are_those_of_the_result():
    found = made("Modes")
    shown = numbers(view(found)[1])
    for w, shape in zip(found.frequencies, found.shapes.T, strict=True):
        assert np.isclose(shown, w, rtol=1e-5).any()
        assert np.isclose(shown, w / (2 * np.pi), rtol=1e-5).any()
        assert all(np.isclose(shown, x, rtol=1e-3).any() for x in shape)
    linear = made("LinearModel")
    shown = numbers(view(linear)[1])
    for name in "MDKB":
        assert all(np.isclose(shown, x, rtol=1e-4).any() for x in getattr(linear, name).ravel())
    motion = made("Trajectory")
    shown = numbers(view(motion)[1])
    for curve in motion.q.T:
        for x in (curve[0], curve[-1], curve.min(), curve.max()):
            assert np.isclose(shown, x, rtol=1e-5).any()
    assert np.isclose(shown, motion.events[0].t, rtol=1e-5).any()


def test_terms_of_an_expansion_in_numbers_are_those_of_the_energy():
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=(1 + 3 * x) * ddt(x) ** 2 / 2 + ddt(y) ** 2 / 2,
        potential=2 * x**2 + 5 * x * y**2 + 7 * y**2 + x**3 * y,
    )
    text = view(rt.expand(rt.equilibrium(system, {}), order=3))[1]
    rows = re.findall(r'<tr><td class="w">(.*?)</td><td>(.*?)</td></tr>', text)
    found = {re.sub(r"<[^>]*>", "", name): float(x) for name, x in rows}
    expected = {
        "δx2": -2,
        "δy2": -7,
        "δx′2": 0.5,
        "δy′2": 0.5,
        "δx δy2": -5,
        "δx δx′2": 1.5,
        "δx3 δy": -1,
    }
    readable = {name.replace("&delta;", "δ").replace("&prime;", "′"): x for name, x in found.items()}
    assert readable == pytest.approx(expected)


def test_small_numbers_are_shown_and_rounding_is_not():
    assert page.number(-0.0) == "0"
    assert page.number(-1e-320) != "0"
    assert page.number(1e-14) == "1e-14"
    assert page.number(complex(1e-17, 2)) == "2i"
    assert page.number(complex(-3, -2)) == "-3 - 2i"
    assert page.number(float("inf")) == "&infin;"
    light = np.diag([1.0, 1e-15])  # masses in different units
    assert "1e-15" in page.matrix("M", light)
    noisy = np.array([[1.0, 3e-17], [3e-17, 1.0]])
    assert "e-17" not in page.matrix("M", noisy)


def test_tables_fold_and_say_how_much():
    rows = [[str(k)] for k in range(30)]
    assert "show all 30 rows" in page.pairs(rows)
    assert "<details>" not in page.pairs(rows[:10])
    many = page.table([""], 1000, lambda k: [str(k)], what="points", rest="`q`")
    assert "show 200 of 1000 points" in many
    assert "<code>q</code>" in many
    assert "<td>999</td>" not in many


def test_formulas_are_written_out_as_far_as_they_are_shown():
    asked = []

    def rows():
        for k in range(1000):
            asked.append(k)
            yield f"& x_{{{k}}} = 0"

    text = md.formulas(rows(), 1000, what="equations", rest="`residual`")
    assert "show 68 of 1000 equations" in text
    assert "1000 equations; all are in <code>residual</code>." in text
    assert len(asked) < 100
    huge = md.formulas(["x" * 100_000], 1, what="equations", rest="`residual`")
    assert len(huge) < 200
    assert "<code>residual</code>" in huge


def test_signs_of_relations_are_no_tags():
    assert "<" not in md.inline("a < b > c")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("theta1", "<i>θ</i><sub>1</sub>"),
        ("k_c", "<i>k</i><sub>c</sub>"),
        ("Omega", "<i>Ω</i>"),
        ("p_theta1", "<i>p</i><sub>θ1</sub>"),
        ("x'", "<i>x</i>&prime;"),
        ("<x>", "<code>&lt;x&gt;</code>"),
    ],
)
def test_names_have_greek_letters_and_indices(given, shown):
    assert symbol(given) == shown


def test_velocities_have_primes_and_expressions_are_code():
    x = rt.coordinate("x")
    assert symbol(ddt(x, 2)) == "<i>x</i>&prime;&prime;"
    assert symbol(sin(x) * 2) == "<code>2*sin(x)</code>"
    assert symbol(rt.parameter("rho")) == "<i>ρ</i>"


def test_units_are_those_that_were_declared():
    x, m, g = rt.coordinate("x"), rt.parameter("m", 2.0), rt.parameter("g", 9.81, unit="m/s^2")
    text = view(rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=m * g * x))[1]
    assert re.search(r"\| \$g\$ \| 9\.81 \| m&#47;s&#94;2 \|", text)
    assert re.search(r"\| \$m\$ \| 2 \|  \|", text)
    y, k = rt.coordinate("y"), rt.parameter("k")
    plain = view(rt.System(kinetic=ddt(y) ** 2 / 2, potential=k * y**2))[1]
    assert "unit" not in plain


def test_a_model_is_shown_with_its_units():
    text = view(rt.load(ROOT / "examples" / "models" / "double_pendulum.toml"))[1]
    assert "| $l_{1}$ | 1.2 | m |" in text
    assert "T &=" in text


def test_without_matplotlib_there_is_the_table_alone(monkeypatch):
    whole = view(made("Trajectory"))[1]
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    text = view(made("Trajectory"))[1]
    assert "<svg" not in text
    assert bare(text).split() == bare(whole).split()


def test_pictures_have_the_colours_of_the_page_and_leave_no_figure_open():
    before = plt.get_fignums()
    text = view(made("Trajectory"))[1]
    assert view(made("Trajectory"))[1] == text
    assert plt.get_fignums() == before
    picture = text[text.index("<svg") : text.index("</svg>")]
    assert "currentColor" in picture
    assert 'role="img" aria-label="coordinates over time"' in picture
    assert "#000000" not in picture
    assert "#ffffff" not in picture


def test_a_motion_of_very_many_points_is_a_small_picture():
    x = rt.coordinate("x")
    spring = rt.System(kinetic=ddt(x) ** 2 / 2, potential=2 * x**2)
    motion = rt.simulate(spring, {}, {x: 1.0}, np.linspace(0, 400, 8_001), progress=False)
    text = view(motion)[1]
    assert "<svg" in text
    assert len(text) < LARGEST


def test_what_was_not_found_is_said():
    theta, (g, F) = rt.coordinate("theta"), rt.parameters("g F")
    system = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-g * cos(theta) - F * theta)
    rest = rt.equilibrium(system, {"g": 1.0, "F": np.array([0.5, 2.0])}, raises=False)
    text = view(rest)[1]
    assert "1 of 2 equilibria" in text
    assert text.count("not found") == 1


def test_the_end_of_a_search_is_not_called_an_equilibrium():
    x = rt.coordinate("x")
    with pytest.raises(rt.SolveError) as lost:
        rt.equilibrium(rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**3 + x), {})
    text = view(lost.value.result)[1]
    assert "Where the search for an equilibrium ended" in text
    assert "Stopped: no step reduces the residual any further." in text


@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_batches_say_their_shape_and_show_the_first_point(shape):
    values = {"k": np.linspace(2, 3, shape[-1]), "c": 0.5}
    if len(shape) > 1:
        values["c"] = np.linspace(0.5, 1, shape[0])[:, None]
    linear = rt.linearize(rt.equilibrium(gallery.cart(), values))
    for result in (linear, linear.descriptor, linear.canonical, rt.state_space(linear)):
        text = view(result)[1]
        parsed(text)
        assert f"A batch of shape {shape}" in text
    shown = numbers(view(linear)[1])
    first = linear.K.reshape(-1, 2, 2)[0]
    assert all(np.isclose(shown, x, rtol=1e-4).any() for x in first.ravel())
    asked = {"inputs": {"F": 0.0}, "progress": False}
    motion = rt.simulate(gallery.cart(), values, {"x": 0.1}, np.linspace(0, 1, 3), **asked)
    for result in (motion, rt.linearize(motion), rt.modes(linear), rt.stability(linear)):
        parsed(view(result)[1])


@pytest.mark.slow
def test_parts_of_a_transform_that_is_not_one_are_formulas():
    x = rt.coordinate("x")
    text = view(rt.legendre(x**6 / 6 - x**2 / 2, x))[1]
    assert "f is not convex" in text
    assert text.count("where f is convex") == 2
    assert "no closed form" in text


def test_what_is_no_result_has_no_view():
    with pytest.raises(rt.DeclarationError, match="Got a dict"):
        html({})
    with pytest.raises(rt.DeclarationError, match="Got a dict"):
        markdown({})


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_of_all_results_in_a_browser(tmp_path, dark):
    if CHROMIUM is None:
        pytest.skip("pages are looked at in Chromium, which is not installed")
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    written = tmp_path / "notebook.html"
    results = {name: made(name) for name in gallery.RESULTS if name != "Animation"}
    written.write_text(gallery.page(results, dark), encoding="utf-8")
    with sync_api.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 1000, "height": 900})
        said, asked = [], []
        opened.on("console", lambda message: said.append(message.text))
        opened.on("pageerror", lambda error: said.append(str(error)))
        opened.on("request", lambda request: asked.append(request.url))
        opened.goto(written.as_uri())
        opened.wait_for_selector("html[data-ready=yes]", timeout=60_000)
        assert said == []
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
        assert opened.locator(".katex-error").count() == 0
        assert opened.locator(".katex").count() > 50
        assert opened.evaluate("document.documentElement.scrollWidth") <= 1000
        browser.close()


def test_marks_and_pictures_have_one_set_of_colours_that_light_and_dark_pages_let_see():
    def light(colour):
        parts = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]  # WCAG 2.1

    for verdict, colour in VERDICTS.items():
        seen = BRIGHT.get(colour, colour)
        assert f"solid {seen};" in page.mark(verdict)
        for paper in (0.0, 1.0):
            brighter, darker = sorted((light(seen), paper), reverse=True)
            assert (brighter + 0.05) / (darker + 0.05) > 2.8  # marks stand beside their words
