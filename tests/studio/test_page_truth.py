"""What the page shows belongs to what stands on its sliders, however quickly one moves on."""

from __future__ import annotations

import pytest
from browsing import opened, settled, state, type_after, until

LIVE = """import('./desk.js').then(({ ask }) => ask('live', {
  text: state.model.text, values: state.values, sizes: state.sizes, want: ['modes'], q: state.live.q }))
  .then(({ eigenvalues, verdict, q }) => ({ eigenvalues, verdict, q }))"""
"""The numbers of the rest on the screen, asked for once more."""

SHOWN = "(({ eigenvalues, verdict, q }) => ({ eigenvalues, verdict, q }))(state.live)"


@pytest.fixture
def page(browser, address):
    """The page with the bead on a hoop, which rests at the bottom and away from it."""
    with opened(browser, address + "#example=bead_on_hoop") as found:
        settled(found)
        yield found


def typed(page, name: str, number: str) -> None:
    field = page.get_by_role("textbox", name=name, exact=True)
    field.fill(number)
    field.press("Enter")
    settled(page)


def test_the_picture_follows_a_slider_after_keys_have_moved_a_handle(browser, address):
    with opened(browser, address + "#example=double_pendulum") as page:
        settled(page)
        page.locator("#panel-picture .handle").first.focus()
        first = state(page, "state.start.q")
        page.keyboard.press("ArrowRight")
        until(page, f"state.busy === 0 && state.start.q.theta1 !== {first['theta1']}")
        told = "+document.querySelector('#panel-picture .places input').value"
        until(page, f"Math.abs({told} - state.start.q.theta1) < 1e-4")
        before = page.locator("#panel-picture .drawn").inner_html()
        typed(page, "l1", "2.4")
        until(page, f"document.querySelector('#panel-picture .drawn').innerHTML !== {before!r}")


def test_each_variant_keeps_the_rest_that_it_stands_on(page):
    page.get_by_role("tab", name="Equilibria").click()
    rests = page.locator("#panel-equilibria .rest")
    rests.filter(has_text="unstable").first.click()
    settled(page)
    until(page, "state.live.verdict === 'unstable'")
    kept = state(page, "state.live.q.theta")
    page.get_by_role("button", name="Keep beside").click()
    rests.filter(has_text="stable").filter(has_not_text="unstable").first.click()
    until(page, "state.live.verdict === 'stable'")
    settled(page)
    page.get_by_role("button", name="Swap").click()
    settled(page)
    assert state(page, "[state.live.verdict, state.held.live.verdict]") == ["unstable", "stable"]
    assert state(page, "state.live.q.theta") == pytest.approx(kept, abs=1e-9)


def test_numbers_after_quick_changes_are_those_of_the_last(page):
    for tab in ("Motion", "Chart"):
        page.evaluate(
            "import('./opening.js').then(m => { m.openExample('double_pendulum').catch(() => {}); })"
        )
        page.get_by_role("tab", name=tab).click()
        page.evaluate("import('./opening.js').then(m => m.openExample('bead_on_hoop'))")
        until(page, "state.model?.name?.includes('hoop') ?? false")
        page.evaluate(
            "import('./following.js').then(m => { for (let k = 0; k < 20; k++) m.move('omega', 1 + k / 4); m.letGo(); })"
        )
    settled(page)
    assert state(page, "state.values.omega") == 5.75
    again, shown = state(page, LIVE), state(page, SHOWN)
    assert shown["verdict"] == again["verdict"]
    assert shown["q"] == pytest.approx(again["q"], abs=1e-9)
    for one, other in zip(shown["eigenvalues"], again["eigenvalues"], strict=True):
        assert one == pytest.approx(other, abs=1e-8)


def test_a_text_that_does_not_read_greys_what_is_shown(page):
    type_after(page, "R = ", "]")
    until(page, "state.refused !== null")
    assert page.locator(".verdict .stale").count() == 1
    assert page.locator(".panels.of-old-text").count() == 1


@pytest.mark.slow
def test_the_chart_is_of_the_rest_that_one_stands_on(page):
    page.get_by_role("tab", name="Equilibria").click()
    page.locator("#panel-equilibria .rest").filter(has_text="unstable").first.click()
    settled(page)
    page.get_by_role("tab", name="Chart").click()
    note = page.locator("#panel-chart [role=status]", has_text="nearest")
    note.wait_for()
    settled(page)
    assert state(page, "state.live.verdict") == "unstable"
    assert "nearest to it: divergence" in note.inner_text()


def test_roots_of_an_undecided_rest_are_not_called_stable(page):
    judged = page.evaluate(
        """import('./tabs/response.js').then(({ spread }) => spread({ parameter: 'p', values: [1, 2, 3],
          eigenvalues: [[[0, 1]], [[0, 0]], [[1, 0]]], verdicts: ['stable', 'undecided', 'unstable'] }))
          .then(groups => groups.map(({ words, at }) => [words, at]))"""
    )
    assert judged == [["stable", [1]], ["unstable", [3]], ["undecided", [2]]]
