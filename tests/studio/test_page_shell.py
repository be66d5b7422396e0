"""The page does what a person does with it: mistakes are marked, sliders move numbers, nothing typed is lost."""

from __future__ import annotations

import re

import numpy as np
import pytest
from browsing import free_port, opened, served, settled, state, type_after, until

import routh as rt
from routh.files.examples import example_text

DIGITS = 6e-4
"""Of four digits that the verdict shows: half a unit of the last, relative to a leading 1."""


@pytest.fixture
def page(browser, address):
    """The page with the double pendulum."""
    with opened(browser, address + "#example=double_pendulum") as found:
        settled(found)
        yield found


def eigenvalues_of(name: str, folder, **moved: float) -> np.ndarray:
    """Eigenvalues at the rest the file guesses, by the library."""
    path = folder / f"{name}_of_test.toml"
    path.write_text(example_text(name), encoding="utf-8")
    model = rt.load(path)
    values = model.values | moved
    rest = rt.equilibrium(model.system, values, guess=model.guess)
    return np.array(rt.modes(rt.linearize(rest)).eigenvalues)


def in_order(eigenvalues) -> np.ndarray:
    found = np.array([complex(*each) if isinstance(each, list) else each for each in eigenvalues])
    return found[np.lexsort((found.imag.round(9), found.real.round(9)))]


def test_a_mistake_is_marked_at_its_place_and_gone_when_mended(page):
    line = next(
        k
        for k, each in enumerate(state(page, "state.text").split("\n"), 1)
        if each.startswith("potential")
    )
    type_after(page, "m1*g", "q")
    told = page.locator(".cm-mistake")
    told.wait_for()
    sentence = "`gq` is no name of this model. Did you mean `g`?"
    assert told.inner_text() == sentence.replace("`", "")
    assert page.locator("#mistake").inner_text().startswith(f"line {line}")
    assert state(page, "state.refused.sentence") == sentence
    assert page.locator(".cm-lintRange-error").inner_text() == "gq"
    column = page.locator(".cm-lintRange-error").bounding_box()["x"]
    assert told.bounding_box()["x"] == pytest.approx(column, abs=4)  # px, below the column
    assert told.bounding_box()["y"] > page.locator(".cm-lintRange-error").bounding_box()["y"]
    page.keyboard.press("Backspace")
    told.wait_for(state="detached")
    settled(page)
    assert state(page, "state.refused") is None
    assert "2 coordinates" in page.locator("#mistake").inner_text()


def test_a_slider_moves_the_eigenvalues_to_the_right_numbers(page, folder):
    slider = page.get_by_role("slider", name="l2", exact=True)
    slider.focus()
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    settled(page)
    l2 = state(page, "state.values.l2")
    assert l2 > 0.8
    expected = in_order(eigenvalues_of("double_pendulum", folder, l2=l2))
    assert in_order(state(page, "state.live.eigenvalues")) == pytest.approx(expected, abs=1e-9)
    written = page.locator(".verdict .eigenvalues > span").all_inner_texts()
    shown = sorted(float(re.search(r"[\d.]+", each)[0]) for each in written)
    assert shown == pytest.approx(sorted(expected.imag[expected.imag > 0]), rel=DIGITS)
    assert page.locator("[data-parameter=l2] .number input").input_value() == f"{l2:g}"
    assert slider.get_attribute("aria-valuetext") == f"{l2:g} m"
    assert page.evaluate("routhLatency.length") > 0


@pytest.mark.slow
def test_numbers_are_typed_reset_and_ranges_widened(page):
    field = page.get_by_role("textbox", name="l2", exact=True)
    field.fill("1.25")
    field.press("Enter")
    until(page, "state.values.l2 === 1.25 && state.settled.l2 === 1.25")
    page.get_by_role("button", name="reset l2").click()
    until(page, "state.values.l2 === 0.8")
    page.get_by_role("slider", name="l2", exact=True).press("r")
    page.get_by_role("textbox", name="upper end of l2").fill("7")
    page.get_by_role("textbox", name="upper end of l2").press("Enter")
    page.get_by_role("slider", name="l2", exact=True).press("End")
    until(page, "state.values.l2 === 7")


def test_two_variants_stand_beside_each_other(page):
    before = page.locator(".verdict .eigenvalues").inner_text()
    page.get_by_role("button", name="Keep beside").click()
    page.get_by_role("textbox", name="l1", exact=True).fill("2")
    page.get_by_role("textbox", name="l1", exact=True).press("Enter")
    settled(page)
    now, kept = page.locator(".verdict .eigenvalues").all_inner_texts()
    assert kept == before != now
    page.get_by_role("button", name="Swap").click()
    settled(page)
    assert page.locator(".verdict .eigenvalues").all_inner_texts() == [before, now]
    assert state(page, "state.values.l1") == 1.2
    page.get_by_role("button", name="Drop").click()
    assert page.locator(".verdict .eigenvalues").all_inner_texts() == [before]


@pytest.mark.slow
def test_numbers_go_into_the_file_and_undo_takes_them_back(page):
    page.get_by_role("textbox", name="m2", exact=True).fill("0.75")
    page.get_by_role("textbox", name="m2", exact=True).press("Enter")
    before = state(page, "state.text")
    page.get_by_role("button", name="Write into the file").click()
    until(page, "state.text.includes('m2 = {value = 0.75, unit = \"kg\"}')")
    assert state(page, "state.text") == before.replace("value = 0.5, unit", "value = 0.75, unit")
    page.get_by_role("button", name="undo").click()
    until(page, f"state.text === {before!r}")


def test_everything_goes_without_a_mouse(page):
    page.keyboard.press("Control+Shift+E")
    page.get_by_role("dialog").locator("input:focus").wait_for()
    page.keyboard.type("bead hoop")
    page.keyboard.press("Enter")
    until(page, "state.name.name === 'bead_on_hoop'")
    settled(page)
    page.keyboard.press("F6")
    assert page.evaluate("document.activeElement.classList.contains('cm-content')")
    page.keyboard.press("F6")
    assert page.evaluate("document.activeElement.type") == "range"
    page.keyboard.press("ArrowRight")
    until(page, "state.values.m > 1")
    page.keyboard.press("F6")
    assert page.evaluate("document.activeElement.id") == "tab-picture"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-derivation"
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.getAttribute('aria-selected')") == "true"
    page.keyboard.press("4")
    assert state(page, "state.tab") == "modes"
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys and writing").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    page.keyboard.press("k")
    until(page, "state.held !== null")
    page.keyboard.press("e")
    page.keyboard.press("Control+End")
    page.keyboard.type("x = ")
    until(page, "state.refused !== null")
    page.keyboard.press("Control+Home")
    page.keyboard.press("F8")
    line = page.evaluate("document.querySelector('.cm-activeLineGutter').textContent")
    assert int(line) == state(page, "state.refused.place.line")


def test_a_reload_keeps_the_text_and_the_sliders(page):
    type_after(page, "[drawing]", "  # mine")
    page.get_by_role("textbox", name="l2", exact=True).fill("1.5")
    page.get_by_role("textbox", name="l2", exact=True).press("Enter")
    first = page.locator("#panel-picture .places input").first
    first.fill("1.25")
    first.press("Enter")
    page.get_by_role("tab", name="Equilibria").click()
    settled(page)
    desk = page.evaluate("sessionStorage.getItem('routh-desk')")
    page.reload()
    settled(page)
    assert page.evaluate("sessionStorage.getItem('routh-desk')") == desk
    assert "[drawing]  # mine" in state(page, "state.text")
    assert "[drawing]  # mine" in page.locator(".cm-content").inner_text()
    until(page, "state.values.l2 === 1.5 && state.start.q.theta1 === 1.25")
    assert page.get_by_role("tab", name="Equilibria").get_attribute("aria-selected") == "true"
    page.get_by_role("button", name="Examples").click()
    page.goto("about:blank")
    page.go_back()
    settled(page)
    assert "[drawing]  # mine" in state(page, "state.text")


@pytest.mark.slow
def test_the_back_button_goes_through_what_was_opened(page):
    type_after(page, "[drawing]", "  # mine")
    edited = state(page, "state.text")
    page.get_by_role("button", name="Examples").click()
    page.get_by_role("searchbox").fill("bead on a hoop")
    page.get_by_role("searchbox").press("Enter")
    until(page, "state.name.name === 'bead_on_hoop'")
    settled(page)
    assert page.locator(".title").inner_text() == "bead on a hoop"
    page.keyboard.press("Escape")
    page.go_back()
    until(page, f"state.text === {edited!r}")
    settled(page)
    assert page.locator(".title").inner_text() == "double pendulum"
    page.go_forward()
    until(page, "state.name.name === 'bead_on_hoop'")


@pytest.mark.slow
def test_a_link_contains_the_model(page, browser, address):
    text = state(page, "state.text") + "\n# größer: ω² → ∞\n"
    link = page.evaluate("text => import('./link.js').then(({ linkOf }) => linkOf(text))", text)
    assert len(link) < len(text)  # it is packed
    with opened(browser, link) as other:
        settled(other)
        assert state(other, "state.text") == text
    with opened(browser, link[:-30]) as broken:
        broken.locator(".notice.wrong").wait_for()
        assert "cannot be read" in broken.locator(".notice").inner_text()


@pytest.mark.slow
def test_a_short_link_that_unfolds_to_gigabytes_is_refused(page):
    told = page.evaluate("""async () => {
      const { packed, unpacked } = await import("./link.js");
      return unpacked(await packed("a".repeat(3e6))).catch(error => error.message);
    }""")
    assert "longer than 1 MB" in told


@pytest.mark.slow
def test_dark_by_the_system_and_by_hand(browser, address):
    with opened(browser, address + "#example=pendulum", color_scheme="dark") as page:
        settled(page)
        paper = "getComputedStyle(document.body).backgroundColor"
        assert page.evaluate(paper) == "rgb(20, 25, 31)"
        page.get_by_role("button", name="theme: auto").click()
        assert page.evaluate(paper) == "rgb(255, 255, 255)"
        page.reload()
        assert page.evaluate(paper) == "rgb(255, 255, 255)"
        page.get_by_role("button", name="theme: light").click()
        assert page.evaluate(paper) == "rgb(20, 25, 31)"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read_against_their_ground(browser, address, scheme):
    """Contrast of 4.5 for all words (WCAG 2, AA)."""
    with opened(browser, address + "#example=double_pendulum", color_scheme=scheme) as page:
        settled(page)
        faint = page.evaluate("""() => {
          const part = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
          const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
          const numbers = words => words.match(/[\\d.]+/g).map(Number);
          const ground = each => {
            for (let at = each; at; at = at.parentElement) {
              const found = numbers(getComputedStyle(at).backgroundColor);
              if (found.length === 3) return found;
            }
          };
          const found = [];
          for (const each of document.querySelectorAll("button:enabled, .badge, .reason, .note, .unit, .cm-line span, .from, .status p, .place")) {
            if (!each.offsetParent || !each.textContent.trim() || /^["']+$/.test(each.textContent)) continue;
            const [a, b] = [light(numbers(getComputedStyle(each).color)), light(ground(each))].sort((x, y) => y - x);
            if ((a + 0.05) / (b + 0.05) < 4.5) found.push([each.textContent, (a + 0.05) / (b + 0.05)]);
          }
          return found;
        }""")
        assert faint == []


def test_a_small_screen_shows_one_pane_and_keeps_the_verdict(browser, address):
    with opened(browser, address + "#example=double_pendulum", width=400) as page:
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        assert page.locator(".cm-content").is_visible()
        assert not page.get_by_role("tablist").is_visible()
        page.get_by_role("button", name="Results").click()
        assert page.get_by_role("tablist").is_visible()
        assert not page.locator(".cm-content").is_visible()
        assert page.locator(".verdict .badge").is_visible()
        page.get_by_role("slider", name="l2", exact=True).press("ArrowRight")
        until(page, "state.values.l2 > 0.8")
        page.get_by_role("tab", name="Export").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        page.get_by_role("button", name="Menu").click()
        page.get_by_role("button", name="Examples").click()
        page.get_by_role("dialog", name="Examples").wait_for()


@pytest.mark.slow
def test_what_is_typed_without_a_server_is_read_when_there_is_one_again(browser, folder):
    port = free_port()
    with opened(browser, "about:blank", quiet=False) as page:
        with served(folder, port=port) as address:
            page.goto(address + "#example=pendulum")
            settled(page)
        page.locator(".banner").wait_for()
        assert "lost" in page.locator(".banner").inner_text()
        type_after(page, "m*g*", "q*")
        page.get_by_role("slider", name="l", exact=True).press("ArrowRight")
        with served(folder, port=port):
            page.get_by_role("button", name="Try now").click()
            page.locator(".banner").wait_for(state="detached")
            until(page, "state.refused !== null")
            assert state(page, "state.refused.sentence").startswith("`q` is no name")
            assert "m*g*q*" in page.locator(".cm-content").inner_text()


def test_files_are_saved_opened_and_never_replaced_unasked(page, folder):
    type_after(page, "[drawing]", "  # kept")
    page.keyboard.press("Control+s")
    name = page.get_by_role("textbox", name="name of the file")
    assert name.input_value() == "double_pendulum.toml"
    name.fill("swing.toml")
    name.press("Enter")
    until(page, "state.name.kind === 'file'")
    assert "[drawing]  # kept" in (folder / "swing.toml").read_text(encoding="utf-8")
    type_after(page, "# kept", " again")
    assert page.get_by_label("not saved yet").is_visible()
    page.keyboard.press("Control+s")
    until(page, "state.saved === state.text")
    assert "# kept again" in (folder / "swing.toml").read_text(encoding="utf-8")
    page.keyboard.press("Control+Shift+S")
    page.get_by_role("textbox", name="name of the file").fill("../out.toml")
    page.get_by_role("button", name="Save", exact=True).last.click()
    page.get_by_role("alert").wait_for()
    assert not (folder.parent / "out.toml").exists()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+o")
    page.get_by_role("button", name="swing.toml").click()
    settled(page)
    assert page.locator(".from").inner_text() == "swing.toml"


def test_a_file_is_dragged_into_the_page(page):
    text = 'name = "dragged"\n' + "\n".join(example_text("pendulum").split("\n")[1:])
    page.evaluate(
        """text => {
      const carried = new DataTransfer();
      carried.items.add(new File([text], "mine.toml", { type: "application/toml" }));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
    }""",
        text,
    )
    until(page, "state.name.name === 'mine.toml'")
    settled(page)
    assert state(page, "state.text") == text


@pytest.mark.slow
def test_names_keys_and_functions_are_offered_where_they_belong(page):
    def offered():
        page.locator(".cm-tooltip-autocomplete").wait_for()
        return page.locator(".cm-tooltip-autocomplete .cm-completionLabel").all_inner_texts()

    type_after(page, 'potential = ["m1*g*r1[2]', " + th")
    assert offered()[:2] == ["theta1", "theta2"]
    page.keyboard.press("Escape")
    page.keyboard.type(" no")
    assert "norm2" in offered()
    page.keyboard.press("Escape")
    type_after(page, "l1 = {value = 1.2", ", ra")
    assert offered()[0] == "range"
    page.keyboard.press("Tab")
    until(page, "state.text.includes('l1 = {value = 1.2, range = ')")
    page.keyboard.type("[1, 2]")
    settled_text = "l1 = {value = 1.2, range = [1, 2], unit"
    until(page, f"state.text.includes({settled_text!r})")
    page.keyboard.press("Control+End")
    page.keyboard.type("[an")
    assert offered()[0] == "[analysis]"


@pytest.mark.slow
def test_units_are_watched_while_one_types(page):
    type_after(page, "m1*g*r1[2]", " + m1")
    page.locator(".warnings").wait_for()
    assert "m1" in page.locator(".warnings").inner_text()
    for _ in range(len(" + m1")):
        page.keyboard.press("Backspace")
    page.locator(".warnings").wait_for(state="detached")


HOSTILE = '<img src=x onerror="window.caught=1"><script>window.caught=1</script>'


def test_hostile_names_are_only_words(page):
    page.evaluate(
        """async words => {
      const { write } = await import("./following.js");
      const { state } = await import("./store.js");
      write(state.text.replace(/name = .*/, "name = " + JSON.stringify(words)).replace("[drawing]", "[drawing]\\n# " + words));
    }""",
        HOSTILE,
    )
    settled(page)
    assert page.locator(".title").inner_text() == HOSTILE
    type_after(page, "m1*g", "<img>")
    until(page, "state.refused !== null")
    page.locator(".cm-mistake").wait_for()
    assert page.locator("img").count() == 0
    assert page.evaluate("window.caught") is None


DRAWN = """<svg viewBox="0 0 1 1" onload="x()">
  <script>x()</script><a href="javascript:x()"><text>hi</text></a><image href="http://x/y.png"/><use href="#ok"/><use href="data:x"/>
  <path d="M0 0" onclick="x()" style="fill: url(http://x)"/><foreignObject><p xmlns="http://www.w3.org/1999/xhtml">p</p></foreignObject>
  <style>@import "http://x"</style><set attributeName="href" to="javascript:x()"/><text data-key="r1" class="name">&lt;b&gt;</text></svg>"""


def test_drawings_are_cleaned_of_all_that_acts(browser, address):
    with opened(browser, address, quiet=False) as page:  # the policy complains of the handlers too
        clean = "source => import('./safe_svg.js').then(({ cleanSvg }) => cleanSvg(source).outerHTML)"
        drawn = page.evaluate(clean, DRAWN)
    for word in (
        "script",
        "onload",
        "onclick",
        "image",
        "http://x",
        "foreignObject",
        "set",
        "data:",
        "@import",
    ):
        assert word not in drawn
    assert 'href="#ok"' in drawn
    assert '<text data-key="r1" class="name">&lt;b&gt;</text>' in drawn


@pytest.mark.slow
def test_two_pages_with_one_memory_have_two_desks(page, address):
    first = page.evaluate("sessionStorage.getItem('routh-desk')")
    with page.context.expect_page() as waiting:
        page.evaluate("window.open(location.href)")  # which copies the memory of the tab
    other = waiting.value
    settled(other)
    assert other.evaluate("sessionStorage.getItem('routh-desk')") != first
    assert page.evaluate("sessionStorage.getItem('routh-desk')") == first
    type_after(other, "[drawing]", "  # other")
    settled(other)
    assert "# other" not in state(page, "state.text")
    assert state(page, "state.connected")


@pytest.mark.slow
def test_the_splitter_moves_by_keys(page):
    bar = page.get_by_role("separator")
    before = page.locator(".model").bounding_box()["width"]
    bar.press("ArrowRight")
    page.wait_for_timeout(50)
    assert page.locator(".model").bounding_box()["width"] > before + 10
    bar.press("Home")
    assert bar.get_attribute("aria-valuenow") == "22"


@pytest.mark.slow
def test_a_million_letters_are_said_to_be_too_many(page):
    page.evaluate("import('./following.js').then(({ write }) => write('# ' + 'a'.repeat(1100000)))")
    until(page, "state.refused !== null")
    assert "character" in state(page, "state.refused.sentence")
    page.evaluate("import('./following.js').then(({ write }) => write('# '))")
    until(page, "state.text.length === 2")
