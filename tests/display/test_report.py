"""Reports: pages that need nothing else, with maths, pictures and motion, wide and narrow."""

from __future__ import annotations

import json
import re
import shutil
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sympy

import routh as rt
from depth import mostly_slow
from routh import ddt
from routh.display.report import figures
from routh.display.report.about_inputs import responses
from routh.display.report.every_branch import diagram, every_branch
from routh.display.report.findings import Findings
from routh.display.report.formats import written_report
from routh.display.report.formulas import equation, equations
from routh.display.report.outputs_needed import too_few
from routh.display.report.transfer import symbolic_transfers, transfers

MODELS = Path(__file__).parents[2] / "examples" / "models"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
PATIENCE = 600_000
"""Milliseconds after which a browser counts as stuck; a busy machine is only slow."""
A4 = 673
"""Pixels between the margins of the paper."""
CUT = """[...document.querySelectorAll("main .math, main table, main pre")].filter(
    each => each.scrollWidth > each.clientWidth + 1
    || each.getBoundingClientRect().right > innerWidth + 1
    || each.matches(".math") && each.getBoundingClientRect().height > 1000).map(each => each.textContent)"""
"""What stands out of the page."""
KINDS = {
    "double_pendulum": "4 equilibria, films of modes",
    "turning_table": "a sweep",
    "cartesian_pendulum": "a constraint",
    "quarter_car": "an input with a law",
    "hub_beam": "ordinary and partial equations",
    "ziegler_column": "a force that follows",
}


@cache
def findings(name):
    """What is found out about a model, once for all kinds of reports."""
    text = (MODELS / f"{name}.toml").read_text(encoding="utf-8")
    model = rt.load(text.replace("functions = 8", "functions = 4"))  # a stiff one moves slowly
    return Findings(model, model.values)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")

    @cache
    def page(name):
        return written_report(findings(name), folder / f"{name}.html", f"routh report {name}.toml")

    return page


@pytest.fixture
def sketchy(monkeypatch):
    """Pages whose words are looked at: their pictures are made, but not written out."""

    def closed(axes, title):
        plt.close(axes.figure)
        return f"<svg><title>{title}</title></svg>"

    monkeypatch.setattr(figures, "as_svg", closed)


@pytest.mark.parametrize("name", mostly_slow(KINDS, "double_pendulum", "quarter_car"))
def test_a_report_holds_everything_and_asks_for_nothing(pages, name):
    text = pages(name).read_text(encoding="utf-8")
    for section in ("Energies", "Equations of motion", "Equilibria", "Motion", "How to reproduce it"):
        assert re.search(rf'<h2 id="s-\d+">{section}</h2>', text)
    assert f"routh report {name}.toml" in text
    body = text[text.index("<main>") : text.index("</main>")]
    asked = re.findall(r'(?:src|href)="(?!data:|#)([^"]*)"', body)
    assert asked == []
    assert not re.search(r"@import|url\((?!data:|#)", text)


class Reader(HTMLParser):
    """Notes what is not as HTML wants it: tags left open, ids given twice, pictures without words."""

    EMPTY = ("meta", "br", "input", "link", "img", "hr", "path", "use", "circle", "rect", "polygon")

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.targets, self.wrong = [], [], [], []

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if len(given) < len(attrs):
            self.wrong.append(f"{tag} has an attribute twice")
        self.ids += [given["id"]] if "id" in given else []
        if given.get("href", "").startswith("#"):
            self.targets.append(given["href"][1:])
        if tag == "iframe" and not given.get("title"):
            self.wrong.append("an iframe without a title")
        if tag == "svg" and given.get("role") != "img":
            self.wrong.append("a picture that is none")
        if tag in ("div", "table", "figure", "h2", "p") and "p" in self.open:
            self.wrong.append(f"{tag} within a paragraph")
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.EMPTY:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"{tag} is closed where another is open")


@pytest.mark.parametrize("name", KINDS)
def test_a_report_is_html_with_words_for_its_pictures(pages, name):
    text = pages(name).read_text(encoding="utf-8")
    body = text[text.index("<main>") : text.index("</main>")]
    reader = Reader()
    reader.feed(re.sub(r"\bsrcdoc=\"[^\"]*\"", "", body))
    assert reader.wrong == []
    assert reader.open == ["main"]
    assert len(set(reader.ids)) == len(reader.ids)
    assert set(reader.targets) <= set(reader.ids)
    drawn = re.findall(r"<svg([^>]*)>(.{0,7})", body, flags=re.DOTALL)
    assert all("aria-label" in given or inside == "<title>" for given, inside in drawn)
    equations, folded, figures = (
        re.findall(rf'id="{kind}"', body) for kind in (r"eq-(\d+)", r"eq-(\D\d+)", r"fig-(\d+)")
    )
    for numbers in (equations, figures):
        assert numbers == [str(k) for k in range(1, len(numbers) + 1)]
    assert body.count('<span class="no">') == len(equations) + len(folded)
    assert folded[:2] == ["A1", "A2"]


@pytest.fixture(scope="module")
def tab():
    """A page of a browser, one for all reports: a new one would cost as much as a report."""
    if CHROMIUM is None:
        pytest.skip("reports are looked at in Chromium, which is not installed")
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with sync_api.sync_playwright() as player:
        plain = ["--no-sandbox", "--disable-gpu"]  # to pretend that there is one takes longer
        browser = player.chromium.launch(executable_path=CHROMIUM, args=plain)
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        yield page


@pytest.mark.parametrize("name", mostly_slow(KINDS, "double_pendulum", "quarter_car"))
def test_a_report_in_a_browser(pages, tab, name):
    page, said, asked = tab, [], []
    page.set_viewport_size({"width": 1280, "height": 900})
    listeners = {
        "console": lambda message: said.append((message.type, message.text)),
        "pageerror": lambda error: said.append(("error", str(error))),
        "request": lambda request: asked.append(request.url),
    }
    for what, listener in listeners.items():
        page.on(what, listener)
    page.goto(pages(name).as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    assert [each for each in said if each[0] in ("error", "warning")] == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "about:"))] == []
    assert page.locator(".katex").count() > 5
    assert page.locator(".katex-error").count() == 0
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("nav a").count() >= 6
    for scheme, paper in (("dark", "rgb(20, 25, 31)"), ("light", "rgb(255, 255, 255)")):
        page.emulate_media(color_scheme=scheme)
        assert (
            page.evaluate("getComputedStyle(document.querySelector('main')).backgroundColor") == paper
        )
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert page.locator("iframe:visible").count() == 0
    assert page.locator(".still svg:visible").count() == page.locator("iframe").count()
    page.set_viewport_size({"width": A4, "height": 900})
    assert page.evaluate(CUT) == []
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0
    page.emulate_media(media="screen")
    for box in page.locator(".moving").all():
        said_before = box.locator("output").inner_text()
        drawn_before = box.locator("svg").inner_html()
        box.locator("input").fill("40")
        assert box.locator("output").inner_text() != said_before
        assert box.locator("svg").inner_html() != drawn_before
    frames = page.locator("iframe")
    if frames.count():
        frames.last.scroll_into_view_if_needed()
        frame = frames.last.element_handle().content_frame()
        before = frame.eval_on_selector("#clock", "e => e.value")
        frame.wait_for_function(
            "before => document.querySelector('#clock').value !== before", arg=before
        )
    for what, listener in listeners.items():
        page.remove_listener(what, listener)
    page.goto("about:blank")  # or its films would play on beside the tests that follow


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(MODELS.glob("*.toml")), ids=lambda path: path.stem)
def test_every_model_has_a_report_that_fits_its_paper(path, tmp_path, tab):
    written = rt.report(rt.load(path), tmp_path / "page.html")
    text = written.read_text(encoding="utf-8")
    body = text[text.index("<main>") : text.index("</main>")]
    assert "nan" not in re.sub(r"<iframe.*?</iframe>|<svg.*?</svg>", "", body, flags=re.DOTALL).split()
    tab.set_viewport_size({"width": A4, "height": 900})
    tab.emulate_media(media="screen")  # films that are not shown would never have loaded
    tab.goto(written.as_uri())
    tab.wait_for_selector("html[data-ready=yes]")
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate(CUT) == []
    assert tab.locator(".katex-error").count() == 0


def test_badges_reasons_and_numbers_are_those_of_the_library(pages):
    text = pages("double_pendulum").read_text(encoding="utf-8")
    assert text.count('<span class="badge stable">') == 1
    assert text.count('<span class="badge unstable">') == 3
    assert "2.47614" in text
    assert "This is no proof" in text


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["md", "tex"])
def test_reports_for_papers(tmp_path, suffix):
    found = findings("quarter_car")
    text = written_report(found, tmp_path / f"paper.{suffix}").read_text(encoding="utf-8")
    assert r"\ddot{x}_{b}" in text
    for number in ("7.64635", "10.875", "0.091956"):  # rad/s, Hz and a period
        assert number in text
    assert r"A = \begin{bmatrix}" in text
    assert "\\tag{1}" in text
    assert "\\tag{A1}" in text
    assert "What was proven" in text
    assert ("## Equilibria" if suffix == "md" else r"\section{Equilibria}") in text
    with pytest.raises(rt.DeclarationError, match=r"written as .html, .md or .tex. Got '.*pdf'"):
        rt.report(found.model, tmp_path / "paper.pdf")


def test_symbols_stand_beside_the_numbers_where_they_are_short(pages):
    text = pages("double_pendulum").read_text(encoding="utf-8")
    assert r"m_{1} l_{1}^{2}" in text[text.index("About equilibrium 1") :]
    driven = pages("quarter_car").read_text(encoding="utf-8")
    assert r"B = \begin{bmatrix}0 \\ 1.8 \cdot 10^{5}\end{bmatrix}" in driven
    assert r"B = \left[\begin{matrix}0\\k_{t}\end{matrix}\right]" in driven


@pytest.mark.slow
def test_what_was_proven_is_said_and_can_be_asked_for(pages, tmp_path, sketchy):
    text = pages("double_pendulum").read_text(encoding="utf-8")
    assert (
        '<span class="kind">not proven</span> Found by a search: 512 starts brought no other.' in text
    )
    pytest.importorskip("flint", reason="proofs need the extra `rigor`")
    asked = (MODELS / "pendulum.toml").read_text(encoding="utf-8") + "\n[analysis]\nproof = true\n"
    sure = rt.report(rt.load(asked), tmp_path / "sure.html").read_text(encoding="utf-8")
    assert '<span class="kind">not proven</span>' not in sure
    assert "2 of 2 verdicts on stability hold with rounding included" in sure


def test_errors_of_a_motion_are_drawn_with_those_of_constraints(pages):
    text = pages("cartesian_pendulum").read_text(encoding="utf-8")
    assert "Errors along the motion." in text
    assert "constraints are kept to" in text
    motion = findings("cartesian_pendulum").motion
    assert motion.violations.shape == (len(motion.t), 1)
    assert abs(motion.violations).max() == motion.constraint_error


@pytest.mark.slow
def test_what_is_long_is_folded(tmp_path, sketchy):
    count = 8
    names = [f"x{k}" for k in range(count)]
    model = rt.load(
        "[coordinates]\n" + "".join(f"{x} = {{unit = 'm', start = 0.1}}\n" for x in names)
        + '[parameters]\nm = 2\nk = 3\n[energy]\nkinetic = "'
        + " + ".join(f"m/2*{x}'^2" for x in names)
        + '"\npotential = "' + " + ".join(f"k/2*{x}^2" for x in names) + '"\n'
    )  # fmt: skip
    text = rt.report(model, tmp_path / "long.html").read_text(encoding="utf-8")
    assert "<summary>Matrices of 8 rows, show all</summary>" in text
    assert "<summary>8 modes, show all</summary>" in text
    assert "<i>x</i><sub>0</sub> = 0 m, <i>x</i><sub>1</sub> = 0 m" in text


def test_names_in_sentences_are_letters_and_units_have_axes_of_their_own(tmp_path, sketchy):
    model = rt.load(MODELS / "crane.toml")
    text = rt.report(model, tmp_path / "crane.html").read_text(encoding="utf-8")
    assert "<h3>About equilibrium 1: <i>X</i> = 0 m, <i>θ</i> = 0 rad</h3>" in text
    assert "Along the motion: <i>X</i>." in text
    assert "Along the motion: <i>θ</i>." in text
    assert "<code>equilibria = false</code>" in text  # words of a model file are none of its names
    assert "[1ex]" not in text
    paper = rt.report(model, tmp_path / "crane.md").read_text(encoding="utf-8")
    assert "### About equilibrium 1: X = 0 m, theta = 0 rad" in paper


def test_a_letter_that_matplotlib_cannot_set_is_written_plainly(tmp_path):
    model = rt.load(
        "[coordinates]\nx = {start = 1.0, latex = '\\underline{x}'}\n[parameters]\nm = 1\nk = 1\n"
        '[energy]\nkinetic = "m/2*x\'^2"\npotential = "k/2*x^2"\n'
    )
    text = rt.report(model, tmp_path / "odd.html").read_text(encoding="utf-8")
    assert "Phase portrait of" in text


SIMPLE = (
    "[coordinates]\nx = {start = 1.0}\n[parameters]\nm = {value = 1, range = [0.3, 2]}\nk = 1\n"
    '[energy]\nkinetic = "m/2*x\'^2"\npotential = "k/2*x^2"\n'
)


@pytest.mark.slow
def test_a_drawing_of_masses_alone_and_one_that_is_not_finite(tmp_path, sketchy):
    masses = rt.load(SIMPLE + '[drawing]\nmasses = ["[x, 0]"]\n')
    assert "Mode 1" in rt.report(masses, tmp_path / "a.html").read_text(encoding="utf-8")
    lost = rt.load(SIMPLE + '[drawing]\npoints = ["[log(x - 5), 0]"]\n')
    text = rt.report(lost, tmp_path / "b.html").read_text(encoding="utf-8")
    assert "The points of the drawing have no finite places here." in text
    assert "How to reproduce it" in text


@pytest.fixture(scope="module")
def simple(tmp_path_factory):
    path = tmp_path_factory.mktemp("simple") / "a.html"
    return rt.report(rt.load(SIMPLE), path).read_text(encoding="utf-8")


def test_a_report_is_the_same_whenever_it_is_written(simple, tmp_path):
    again = rt.report(rt.load(SIMPLE), tmp_path / "a.html").read_text(encoding="utf-8")
    assert again == simple
    assert not re.search(r"evaluations, [0-9.]+ s", simple)


@pytest.mark.slow
def test_a_report_tells_what_changes_the_critical_mode_most(tmp_path):
    """w = sqrt(k/m): one per cent more of either is half a per cent of the frequency."""
    x, m, k = rt.coordinate("x"), rt.parameter("m"), rt.parameter("k")
    mass = rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2 / 2)
    page = rt.report(mass, tmp_path / "a.md", values={"m": 2.0, "k": 8.0}).read_text(encoding="utf-8")
    assert "What changes mode 1, s = 2 i 1/s, most" in page
    rows = [line for line in page.splitlines() if line.startswith(("| $m$ | 0.5 ", "| $k$ | 0.5 "))]
    assert rows == ["| $k$ | 0.5 | 0 | 0.125 |", "| $m$ | 0.5 | 0 | -0.5 |"]


def test_the_slider_stops_at_the_number_of_the_model(simple):
    points = json.loads(unescape(re.search(r'data-points="([^"]*)"', simple)[1]))
    start = int(re.search(r'type="range"[^>]*value="(\d+)"', simple)[1])
    assert points["values"][start] == 1.0
    assert points["roots"][start] == [[0, 1], [0, -1]]


def test_contacts_are_shown_with_their_law(pages):
    text = pages("block_on_belt").read_text(encoding="utf-8")
    assert "While every contact slips forwards" in text
    assert '<th scope="col">holds up to</th>' in text
    assert "needs one set of equations" not in text


def test_inputs_forces_and_names_are_shown(pages):
    text = pages("quarter_car").read_text(encoding="utf-8")
    assert '<th scope="col">input</th>' in text
    assert "in motions" in text
    written = pages("double_pendulum").read_text(encoding="utf-8")
    assert r"\left|\dot{\boldsymbol{r}}_{1}\right|" in written
    assert r"\boldsymbol{r}_{1} = \begin{bmatrix} l_{1} \sin" in written
    assert '<th scope="col">force</th>' in pages("ziegler_column").read_text(encoding="utf-8")


def test_frequencies_periods_and_shapes_are_those_of_the_verbs(pages):
    text = pages("quarter_car").read_text(encoding="utf-8")
    (modes,) = findings("quarter_car").models
    for w in modes.frequencies:
        assert f'<td class="n">{w / (2 * np.pi):.5g}</td><td class="n">{2 * np.pi / w:.5g}</td>' in text
    assert f"{modes.shapes[1, 0].real:.4g} + {modes.shapes[1, 0].imag:.4g} i" in text


def test_state_space_and_bode_plot_where_there_are_inputs(pages):
    text = pages("quarter_car").read_text(encoding="utf-8")
    assert r"A = \begin{bmatrix}0 &amp; 0 &amp; 1 &amp; 0 \\" in text
    assert r", \quad B = \begin{bmatrix}0 \\ 0 \\ 0 \\ 4500\end{bmatrix}" in text
    assert "Frequency response to <i>z</i>" in text
    assert "Frequency response" not in pages("double_pendulum").read_text(encoding="utf-8")


def test_a_body_with_fields_answers_by_its_discretized_model(pages):
    text = pages("hub_beam").read_text(encoding="utf-8")
    assert "Frequency response to <i>u</i> about equilibrium 1" in text
    (each,) = findings("hub_beam").models
    (found,) = responses(each, findings("hub_beam").shown)
    assert list(map(str, found.outputs)) == ["theta", "w(L)"]
    sure = each.frequencies[each.converged]
    assert found.frequencies[-1] < sure.max()
    assert f"the highest of its {len(sure)} converged frequencies" in text
    # far below the first bending it turns as if it were rigid: theta = -u/(J w^2), J = 0.5 + ...
    J = 0.5 + 1.2 * ((0.3 + 1.5) ** 3 - 0.3**3) / 3
    slow = rt.frequency_response(each.linear, found.input, found.outputs, [1e-3]).transfer[0, 0]
    assert slow.real == pytest.approx(-1e6 / J, rel=1e-6)


@pytest.mark.slow
def test_branches_that_cross_are_followed_once_each():
    own = findings("table_with_springs")
    found = diagram(own)
    # the middle; along x, along y; a ring and what it ends on, to both sides
    assert len(found.branches) == 7
    x, y = (np.concatenate([b.q[:, k] for b in found.branches]) for k in (0, 1))
    at = np.concatenate([b.at for b in found.branches])
    straight = (np.abs(y) < 1e-9) & (np.abs(x) < 1)
    expected = np.where(np.abs(x) < 1e-9, at**2, 20 + 30 * (1 - 1 / np.sqrt(1 + x**2)))
    np.testing.assert_allclose(at[straight] ** 2, expected[straight], rtol=1e-8)


@pytest.mark.parametrize("name", ["quarter_car", "crane", "dc_motor", "accelerated"])
def test_transfer_functions_are_the_frequency_response(name):
    if name == "accelerated":  # the base acts through its acceleration, and is seen in the position
        y, b, k = rt.coordinate("y"), rt.input("b"), rt.parameter("k", 5.0)
        system = rt.System(kinetic=ddt(y + b) ** 2, potential=k * y**2, dissipation=ddt(y) ** 2 / 3)
        values, outputs = {"k": 5.0}, [y, y + b, ddt(y + b)]
    else:
        model = rt.load(MODELS / f"{name}.toml")
        system, values, outputs = model.system, model.values, list(model.system.coordinates)
    linear = rt.linearize(rt.equilibrium(system, values))
    w = np.array([0.3, 1.7, 12.0])
    for each in transfers(rt.state_space(linear, outputs)):
        answer = rt.frequency_response(linear, each.input, [each.output], w).transfer[:, 0]
        np.testing.assert_allclose(each(1j * w), answer, rtol=1e-9)


def test_transfer_functions_in_symbols():
    x, F, (m, c, k) = rt.coordinate("x"), rt.input("F"), rt.parameters("m c k")
    mass = rt.System(
        kinetic=m / 2 * ddt(x) ** 2,
        potential=k * x**2 / 2,
        dissipation=c / 2 * ddt(x) ** 2,
        forces={x: F},
    )
    found = symbolic_transfers(rt.linear_equations(mass, {x: 0, F: 0}, simplify=0))
    assert found == {("F", "x"): r"\frac{1}{m s^{2} + c s + k}"}


def test_names_of_a_long_equation_stand_under_it_and_not_before_its_zero():
    a, b, x = sympy.symbols("a b x")
    part = (a + b * x + sympy.sqrt(a * x) + sympy.exp(b * x)) ** 3
    written = equation(sum(k * part**k * sympy.sin(k * part) for k in range(1, 60)), tail="0").latex
    own, where = written.split("= 0 \\\\\n& ", 1)
    assert " = " not in own
    assert where.startswith("z_{1} = ")
    assert "= 0" not in where


def test_rows_that_belong_together_share_their_names():
    a, b, x = sympy.symbols("a b x")
    part = (a + b * x + sympy.sqrt(a * x) + sympy.exp(b * x)) ** 3
    rows = [sum(k * part**k * f(k * part) for k in range(1, 40)) for f in (sympy.sin, sympy.cos)]
    one, two, told, *where = equations([("p", rows[0], ""), ("q", rows[1], "")])
    assert (one.latex[:4], two.latex[:4], told.text) == ("p = ", "q = ", "where")
    names = [each.latex.split(" = ")[0] for each in where]
    assert len(set(names)) == len(names)  # none stands for two things
    assert all(names[0] in each.latex for each in (one, two))


def test_every_branch_is_followed_once_from_both_ends():
    theta, (g, omega) = rt.coordinate("theta"), rt.parameters("g omega")
    hoop = rt.System(
        kinetic=(ddt(theta) ** 2 + omega**2 * rt.sin(theta) ** 2) / 2, potential=-g * rt.cos(theta)
    )

    def rests(at, *guesses):
        return [rt.equilibrium(hoop, {"g": 9, "omega": at}, guess={theta: q}) for q in guesses]

    found = every_branch("omega", [(rests(1, 0, np.pi), [5]), (rests(5, 0, np.pi, 1.2, -1.2), [1])])
    assert len(found.branches) == 3  # down, up, and the two tilted arms as one
    assert found.moves
    (point,) = {round(p.value, 9) for branch in found.branches for p in branch.points}
    assert point == pytest.approx(3)
    tilted = max(found.branches, key=lambda branch: np.ptp(branch.q))
    np.testing.assert_allclose(np.cos(tilted.q[[0, -1], 0]), 9 / tilted.at[[0, -1]] ** 2)


@pytest.mark.slow
def test_a_sweep_has_every_branch():
    found = diagram(findings("bead_on_hoop"))
    assert len(found.branches) == 3


def test_a_line_of_equilibria_is_no_branch(pages):
    text = pages("turning_table").read_text(encoding="utf-8")
    assert "Campbell diagram" in text
    assert "a family of equilibria at this one value" in text
    assert "4.472136" in text  # sqrt(2 k1/m)
    load = pages("ziegler_column").read_text(encoding="utf-8")
    assert "Campbell" not in load
    assert "Frequencies along <i>P</i>" in load


def test_a_motion_with_too_few_points_is_warned_of():
    x = rt.coordinate("x")
    spring = rt.System(kinetic=ddt(x) ** 2 / 2, potential=200 * x**2)
    few, enough = (rt.simulate(spring, {}, {x: 1.0}, np.linspace(0, 10, n)) for n in (101, 601))
    assert too_few(enough) == ""
    said = too_few(few)
    assert "101 points, too few for how fast `x` changes" in said
    needed = int(re.search(r"Some (\d+) would do", said)[1])
    assert too_few(rt.simulate(spring, {}, {x: 1.0}, np.linspace(0, 10, needed))) == ""


def test_a_report_of_a_system_with_values(tmp_path, sketchy):
    x, y, F, (m, k) = *rt.coordinates("x y"), rt.input("F"), rt.parameters("m k")
    T, V = m / 2 * (ddt(x) ** 2 + ddt(y) ** 2), k / 2 * (x**2 + (x - y) ** 2)
    chain = rt.System(kinetic=T, potential=V, forces={y: F}, name="chain")
    text = rt.report(chain, tmp_path / "a.html", values={m: 2, "k": 8}).read_text(encoding="utf-8")
    w = rt.modes(rt.linearize(rt.equilibrium(chain, {"m": 2, "k": 8}))).frequencies
    assert f"{w[0]:.6g}" in text
    assert "A system alone does not say where a motion starts" in text
    assert "Frequency response" in text
    with pytest.raises(rt.DeclarationError, match=r"`values` lacks `k`. Give a number"):
        rt.report(chain, tmp_path / "a.html", values={m: 2})


def test_hamilton_and_floquet_where_the_model_asks(tmp_path, sketchy):
    text = (
        "[coordinates]\nx = {start = 0.1}\n[parameters]\na = 0.5\nq = 0.1\nomega = 2\n"
        '[energy]\nkinetic = "x\'^2/2"\npotential = "(a - 2*q*cos(omega*t))*x^2/2"\n'
        '[analysis]\nhamiltonian = true\nperiod = "2*pi/omega"\nequilibria = false\n'
    )
    model = rt.load(text)
    page = rt.report(model, tmp_path / "a.html").read_text(encoding="utf-8")
    assert "H = " in page
    assert r"\frac{p_{x}^{2}}{2}" in page
    assert "H is the energy T + V." in page
    found = rt.floquet(model.system, model.values, np.pi)
    assert f"{abs(found.multipliers[0]):.8g}" in page
    paper = rt.report(model, tmp_path / "a.md").read_text(encoding="utf-8")
    assert "Small motions under the drive" in paper
    lost = Findings(other := rt.load(text.replace('"2*pi/omega"', '"x"')), other.values)
    assert "Expected a number, or an expression in parameters" in lost.floquet


def test_a_family_of_equilibria_is_called_one(tmp_path, sketchy):
    free = rt.load('[coordinates]\nx = {}\n[parameters]\nm = 1\n[energy]\nkinetic = "m/2*x\'^2"\n')
    text = rt.report(free, tmp_path / "free.html").read_text(encoding="utf-8")
    assert "one of a family of dimension 1" in text
    assert "Nothing moves from this start." in text


def test_names_and_descriptions_are_text_in_papers(tmp_path):
    model = rt.load('name = "<script>θ_1 [a](b)"\n' + SIMPLE)
    assert r"\<script\>θ\_1 \[a\](b)" in rt.report(model, tmp_path / "a.md").read_text(encoding="utf-8")
    assert r"\ensuremath{\theta}\_1" in rt.report(model, tmp_path / "a.tex").read_text(encoding="utf-8")


def test_what_cannot_be_computed_is_a_sentence_in_the_report(tmp_path, sketchy):
    shaken = rt.load(
        "[coordinates]\ntheta = {start = 1.0}\n[parameters]\nm = 1\nl = 1\ng = 9.81\n"
        '[let]\nr = "[l*sin(theta) + cos(20*t)/10, -l*cos(theta)]"\n'
        '[energy]\nkinetic = "m/2*norm2(r\')"\npotential = "m*g*r[2]"\n'
        "[analysis]\nequilibria = false\n"
    )
    text = rt.report(shaken, tmp_path / "shaken.html").read_text(encoding="utf-8")
    assert "has no equilibrium" in text
    assert "Reached the last time" in text
