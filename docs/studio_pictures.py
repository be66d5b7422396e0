"""Pictures of Routh Studio for the site, and a film of a minute of use for the README.

    python docs/studio_pictures.py [folder]

A browser is driven as a hand would do it: Chromium by Playwright, as in the tests.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, sync_playwright

ROOT = Path(__file__).parents[1]
MODELS = ("double_pendulum", "bead_on_hoop", "cart_pole", "hub_beam", "spinning_top")
TABS = (
    "Picture",
    "Derivation",
    "Equilibria",
    "Modes",
    "Response",
    "Branches",
    "Motion",
    "Chart",
    "Export",
)
QUIET = 1500
"""Milliseconds in which what was asked for is under way, and in which an answer is drawn."""


@contextmanager
def studio() -> Iterator[str]:
    """A studio over the models of the examples; its address."""
    command = [sys.executable, "-m", "routh", "studio", str(ROOT / "examples/models"), "--no-browser"]
    process = subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, text=True)  # noqa: S603
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if found := re.search(r"http://\S+/", line):
                yield found[0]
                break
    finally:
        process.terminate()
        process.wait()


def open_tab(page: Page, name: str, most: int = 200) -> None:
    """Go to a tab, and wait until nothing is computed any more, as the dot in the header says."""
    page.get_by_role("tab", name=name, exact=True).click()
    page.wait_for_timeout(QUIET)
    for _ in range(most):
        if not page.locator(".connection.busy").count():
            break
        page.wait_for_timeout(QUIET // 5)
    page.wait_for_timeout(QUIET)


def shot(page: Page, path: Path) -> None:
    """The page in few colours, so that the repository stays small."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def every_tab(browser: Browser, address: str, folder: Path) -> None:
    """Every tab of five models, each in a browser that remembers none of the others."""
    for model in MODELS:
        page = fresh(browser, f"{address}#example={model}")
        for tab in TABS:
            open_tab(page, tab)
            shot(page, folder / f"{model}_{tab.lower()}.png")
        page.context.close()


def fresh(browser: Browser, address: str) -> Page:
    """A page that remembers nothing."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(address)
    page.get_by_role("tab", name="Picture", exact=True).wait_for()
    return page


class Film:
    """Frames of a page, taken after each step of a hand."""

    def __init__(self, page: Page, size: tuple[int, int]) -> None:
        """The page, and the size of the film."""
        self._page, self._size = page, size
        self.frames: list[Image.Image] = []
        self.lasting: list[int] = []

    def take(self, lasts: int = 250) -> None:
        """A frame that stays for so many milliseconds."""
        frame = Image.open(io.BytesIO(self._page.screenshot())).convert("RGB")
        self.frames.append(frame.resize(self._size, Image.Resampling.LANCZOS))
        self.lasting.append(lasts)

    def watch(self, seconds: float) -> None:
        """What moves by itself."""
        for _ in range(int(seconds * 4)):
            self._page.wait_for_timeout(60)
            self.take()

    def save(self, path: Path) -> None:
        """All frames, with the colours of some of them that are spread over the film."""
        some = self.frames[:: max(1, len(self.frames) // 12)]
        strip = Image.new("RGB", (self._size[0], self._size[1] * len(some)))
        for k, each in enumerate(some):
            strip.paste(each, (0, k * self._size[1]))
        palette = strip.quantize(128, dither=Image.Dither.NONE)
        frames = [each.quantize(palette=palette, dither=Image.Dither.NONE) for each in self.frames]
        frames[0].save(
            path, save_all=True, append_images=frames[1:], duration=self.lasting, loop=0, optimize=True
        )


def drag(page: Page, handle: Locator, by: tuple[float, float], film: Film) -> None:
    """Take a handle, move it in steps, and let go."""
    box: Any = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 13):
        page.mouse.move(x + by[0] * k / 12, y + by[1] * k / 12)
        page.wait_for_timeout(80)
        film.take(150)
    page.mouse.up()


def minute(browser: Browser, address: str, path: Path) -> None:
    """A minute of use: a mistake, a slider, a rest, a pitchfork, a pendulum that is let go."""
    page = fresh(browser, f"{address}#example=bead_on_hoop")
    film = Film(page, (960, 600))
    open_tab(page, "Equilibria")
    film.take(2500)
    slider = page.get_by_role("slider", name="omega", exact=True)
    slider.focus()
    for key in ["ArrowLeft"] * 24 + ["ArrowRight"] * 24:
        page.keyboard.press(key)
        page.wait_for_timeout(40)
        film.take(90)
    page.wait_for_timeout(QUIET)
    film.take(1500)
    open_tab(page, "Branches")
    film.take(2000)
    page.get_by_role("button", name=re.compile("switch", re.IGNORECASE)).first.click()
    page.wait_for_timeout(2 * QUIET)
    film.take(3000)
    open_tab(page, "Chart")
    film.take(2500)
    _mistake(page, film)
    page.get_by_role("button", name="Examples").click()
    page.wait_for_timeout(QUIET)
    film.take(2000)
    page.get_by_role("button", name=re.compile("^double pendulum", re.IGNORECASE)).first.click()
    open_tab(page, "Picture")
    film.take(1500)
    drag(page, page.locator("[data-handle], .handle").last, (-120.0, 90.0), film)
    page.wait_for_timeout(QUIET)
    film.watch(5)
    open_tab(page, "Modes")
    film.watch(6)
    open_tab(page, "Motion")
    film.watch(10)
    open_tab(page, "Derivation")
    film.take(3500)
    film.save(path)


def _mistake(page: Page, film: Film) -> None:
    """A name that nobody declared, seen and taken back."""
    line = page.locator(".cm-line", has_text="potential =").first
    line.click()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    for letter in "*mas":
        page.keyboard.type(letter)
        page.wait_for_timeout(120)
        film.take(200)
    page.wait_for_timeout(QUIET)
    film.take(3500)
    for _ in "*mas":
        page.keyboard.press("Backspace")
        film.take(150)
    page.wait_for_timeout(QUIET)
    film.take(1500)


def main() -> None:
    """All of it, into the folder of static files of the site."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/_static/studio"
    folder.mkdir(parents=True, exist_ok=True)
    with studio() as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        every_tab(browser, address, folder)
        minute(browser, address, folder / "film.gif")
        browser.close()


if __name__ == "__main__":
    main()
