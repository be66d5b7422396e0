"""How quickly the studio follows the hand, seen from a browser.

A slider is dragged by the mouse, a move every 30 ms; from each input event that is answered to the end
of the frame that shows its eigenvalues the page itself keeps the time (`window.routhLatency`). Then the
slider is dragged and let go while a motion is on the screen: from the release to the frame with the
motion for the new number. Needs the extra `studio`, Playwright and Chromium. Targets on a quiet
machine: under 50 ms for 95 of 100 moves, up to ten coordinates, and under 300 ms for motions.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "studio"))
from browsing import browsed, opened, served, settled, state, until

from routh.files.examples import example_text

MOVES, PAUSE = 150, 30
"""Moves of the mouse, and milliseconds between them."""

RELEASES = 12

RELEASED = """slider => new Promise(resolve => {
  slider.addEventListener("pointerup", ({ timeStamp }) => {
    const panel = document.getElementById("panel-motion");
    const watching = new MutationObserver(() => {
      if (panel.querySelector("[aria-busy=true]")) return;
      watching.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)));
    });
    watching.observe(panel, { attributeFilter: ["aria-busy"], subtree: true });
  }, { once: true });
})"""
"""From letting go to the end of the frame in which the tab of motions is no longer busy."""


def chain(links: int) -> str:
    """A hanging chain of equal links, angles from the vertical."""
    names = range(1, links + 1)
    points = "\n".join(
        f'r{k} = "{f"r{k - 1} + " if k > 1 else ""}l*[sin(phi{k}), -cos(phi{k})]"' for k in names
    )
    listed = ", ".join(f'"r{k}"' for k in names)
    return f"""name = "chain of {links} links"

[coordinates]
{"".join(f'phi{k} = {{start = 0.3, unit = "rad"}}{chr(10)}' for k in names)}
[parameters]
m = {{value = 1, unit = "kg"}}
l = {{value = 0.5, unit = "m", range = [0.1, 2]}}
g = {{value = 9.81, unit = "m/s^2"}}

[points]
{points}

[energy]
kinetic = [{", ".join(f'"m/2*norm2(r{k}{chr(39)})"' for k in names)}]
potential = [{", ".join(f'"m*g*r{k}[2]"' for k in names)}]

[drawing]
masses = [{listed}]
lines = [["[0, 0]", {listed}]]
"""


def dragged(page, parameter: str, moves: int) -> None:
    """Drag a slider to and fro; the button stays down."""
    box = page.locator(f"[data-parameter={parameter}] input[type=range]").bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.4 * box["width"], middle)
    page.mouse.down()
    for k in range(moves):
        share = 0.45 + 0.3 * np.sin(2 * np.pi * k / 60)
        page.mouse.move(box["x"] + share * box["width"], middle)
        page.wait_for_timeout(PAUSE)


def moves(page, parameter: str, tab: str) -> np.ndarray:
    """Milliseconds from input events to frames, with a tab on the screen."""
    page.locator(f"#tab-{tab}").click()
    settled(page)
    page.wait_for_timeout(500)
    dragged(page, parameter, 20)
    page.evaluate("routhLatency.length = 0")
    dragged(page, parameter, MOVES)
    page.mouse.up()
    settled(page)
    return np.array(page.evaluate("routhLatency"))


def releases(page, parameter: str) -> np.ndarray:
    """Milliseconds from letting go to the frame with the new motion."""
    page.locator("#tab-motion").click()
    page.locator("#panel-motion [aria-busy=false]").first.wait_for(state="attached")
    settled(page)
    slider = page.locator(f"[data-parameter={parameter}] input[type=range]").element_handle()
    found = []
    for k in range(RELEASES):
        dragged(page, parameter, 5 + k % 3)
        page.evaluate(f"slider => {{ window.released = ({RELEASED})(slider) }}", slider)
        page.mouse.up()
        found.append(page.evaluate("window.released"))
        settled(page)
    return np.array(found)


def told(words: str, found: np.ndarray) -> None:
    half, most = np.percentile(found, [50, 95])
    print(f"{words:44} 50 %: {half:6.1f} ms   95 %: {most:6.1f} ms   of {len(found)}", flush=True)


def main() -> None:
    """Print the percentiles."""
    print(f"load of the machine: {os.getloadavg()[0]:.1f} of {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as address, browsed() as browser:
        models = {
            "double_pendulum": ("l2", example_text("double_pendulum")),
            "chain_10": ("l", chain(10)),
        }
        for name, (parameter, text) in models.items():
            Path(folder, f"{name}.toml").write_text(text, encoding="utf-8")
            with opened(browser, f"{address}#file={name}.toml", quiet=False) as page:
                settled(page)
                until(page, "state.live.eigenvalues?.length > 0")
                count = len(state(page, "state.model.coordinates"))
                for tab in ("picture", "modes", "response"):
                    told(f"{name} ({count} coordinates), {tab}", moves(page, parameter, tab))
                told(f"{name}, motion after release", releases(page, parameter))


if __name__ == "__main__":
    main()
