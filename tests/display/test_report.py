"""Reports: pages that need nothing else, with maths, pictures and motion, wide and narrow."""

from __future__ import annotations

import json
import re
import shutil
from functools import cache
from html import unescape
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import routh as rt
from routh.display.report import figures
from routh.display.report.findings import Findings
from routh.display.report.formats import written_report

MODELS = Path(__file__).parents[2] / "examples" / "models"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
PATIENCE = 600_000
"""Milliseconds after which a browser counts as stuck; a busy machine is only slow."""
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

    def closed(axes):
        plt.close(axes.figure)
        return "<svg></svg>"

    monkeypatch.setattr(figures, "_svg", closed)


@pytest.mark.parametrize("name", KINDS)
def test_a_report_holds_everything_and_asks_for_nothing(pages, name):
    text = pages(name).read_text(encoding="utf-8")
    for section in ("Energies", "Equations of motion", "Equilibria", "Motion", "How to reproduce it"):
        assert f"<h2>{section}</h2>" in text
    assert f"routh report {name}.toml" in text
    body = text[text.index("<main>") : text.index("</main>")]
    asked = re.findall(r'(?:src|href)="(?!data:|#)([^"]*)"', body)
    assert asked == []
    assert not re.search(r"@import|url\((?!data:|#)", text)


@pytest.fixture(scope="module")
def tab():
    """A page of a browser, one for all reports: a new one would cost as much as a report."""
    if CHROMIUM is None:
        pytest.skip("reports are looked at in Chromium, which is not installed")
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with sync_api.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        yield page


@pytest.mark.parametrize("name", KINDS)
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


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(MODELS.glob("*.toml")), ids=lambda path: path.stem)
def test_every_model_has_a_report(path, tmp_path):
    text = rt.report(rt.load(path), tmp_path / "page.html").read_text(encoding="utf-8")
    body = text[text.index("<main>") : text.index("</main>")]
    assert "nan" not in re.sub(r"<iframe.*?</iframe>|<svg.*?</svg>", "", body, flags=re.DOTALL).split()


def test_badges_reasons_and_numbers_are_those_of_the_library(pages):
    text = pages("double_pendulum").read_text(encoding="utf-8")
    assert text.count('<span class="badge stable">') == 1
    assert text.count('<span class="badge unstable">') == 3
    assert "2.47614" in text
    assert "This is no proof" in text


@pytest.mark.parametrize("suffix", ["md", "tex"])
def test_reports_for_papers(tmp_path, suffix):
    found = findings("double_pendulum")
    text = written_report(found, tmp_path / f"paper.{suffix}").read_text(encoding="utf-8")
    assert r"\ddot{\theta}_{1}" in text
    assert "2.47614" in text
    assert ("## Equilibria" if suffix == "md" else r"\section{Equilibria}") in text
    with pytest.raises(rt.DeclarationError, match=r"written as .html, .md or .tex. Got '.*pdf'"):
        rt.report(found.model, tmp_path / "paper.pdf")


def test_symbols_stand_beside_the_numbers_where_they_are_short(pages):
    text = pages("double_pendulum").read_text(encoding="utf-8")
    assert r"l_{1}^{2} m_{1}" in text[text.index("About equilibrium 1") :]


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
    assert "x0 = 0 m, x1 = 0 m" in text


def test_a_letter_that_matplotlib_cannot_set_is_written_plainly(tmp_path):
    model = rt.load(
        "[coordinates]\nx = {start = 1.0, latex = '\\underline{x}'}\n[parameters]\nm = 1\nk = 1\n"
        '[energy]\nkinetic = "m/2*x\'^2"\npotential = "k/2*x^2"\n'
    )
    text = rt.report(model, tmp_path / "odd.html").read_text(encoding="utf-8")
    assert "Phase portrait." in text


SIMPLE = (
    "[coordinates]\nx = {start = 1.0}\n[parameters]\nm = {value = 1, range = [0.3, 2]}\nk = 1\n"
    '[energy]\nkinetic = "m/2*x\'^2"\npotential = "k/2*x^2"\n'
)


def test_a_drawing_of_masses_alone_and_one_that_is_not_finite(tmp_path):
    masses = rt.load(SIMPLE + '[drawing]\nmasses = ["[x, 0]"]\n')
    assert "Mode 1" in rt.report(masses, tmp_path / "a.html").read_text(encoding="utf-8")
    lost = rt.load(SIMPLE + '[drawing]\npoints = ["[log(x - 5), 0]"]\n')
    text = rt.report(lost, tmp_path / "b.html").read_text(encoding="utf-8")
    assert "The points of the drawing have no finite places here." in text
    assert "How to reproduce it" in text


def test_the_slider_stops_at_the_number_of_the_model(tmp_path, sketchy):
    text = rt.report(rt.load(SIMPLE), tmp_path / "a.html").read_text(encoding="utf-8")
    points = json.loads(unescape(re.search(r'data-points="([^"]*)"', text)[1]))
    start = int(re.search(r'type="range"[^>]*value="(\d+)"', text)[1])
    assert points["values"][start] == 1.0
    assert points["roots"][start] == [[0, 1], [0, -1]]


def test_contacts_are_shown_with_their_law(pages):
    text = pages("block_on_belt").read_text(encoding="utf-8")
    assert "While every contact slips forwards" in text
    assert "<th>holds up to</th>" in text
    assert "needs one set of equations" not in text


def test_inputs_forces_and_names_are_shown(pages):
    text = pages("quarter_car").read_text(encoding="utf-8")
    assert "<th>input</th>" in text
    assert "in motions" in text
    assert "Names in the energies" in pages("double_pendulum").read_text(encoding="utf-8")
    assert "<th>force</th>" in pages("ziegler_column").read_text(encoding="utf-8")


def test_a_family_of_equilibria_is_called_one(tmp_path):
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
