"""Whether the studio grows with use: memory of page and server over 500 edits and thirty models.

The page's heap is read after its garbage has been collected; the server is the sum of what its
processes hold (resident, so that what they share counts in each). Needs the extra `studio`,
Playwright, Chromium and `ps`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "studio"))
from browsing import browsed, opened, served, settled, until

EDITS, EVERY = 500, 100
PAUSE = 150
"""Milliseconds between edits: longer than the page waits before it reads."""

MODELS = ("pendulum", "double_pendulum", "bead_on_hoop", "cart_pole", "quarter_car", "ziegler_column",
          "spinning_top", "hub_beam", "crane", "turning_table")  # fmt: skip
ROUNDS = 3


def resident() -> float:
    """Megabytes of the server and its workers."""
    listed = subprocess.run(
        ["ps", "-eo", "pid,ppid,rss,args"], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 3) for line in listed.stdout.splitlines()[1:]]
    family = {row[0] for row in rows if row[1] == str(os.getpid()) and "routh studio" in row[3]}
    grown = 0
    while len(family) > grown:
        grown = len(family)
        family |= {row[0] for row in rows if row[1] in family}
    return sum(int(row[2]) for row in rows if row[0] in family) / 1000


def heap(page: Any) -> float:
    """Megabytes of the page after its garbage has been collected."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")["usedSize"]
    session.detach()
    return used / 1e6


def told(words: str, page: Any) -> None:
    print(f"{words:32} page {heap(page):7.1f} MB   server {resident():8.0f} MB", flush=True)


def edited(page: Any) -> None:
    """Edits one after the other, each of which is read."""
    page.locator(".cm-line", has_text="[drawing]").click()
    page.keyboard.press("End")
    for k in range(1, EDITS + 1):
        page.keyboard.type(" #" if k == 1 else "x" if k % 2 else "y")
        page.wait_for_timeout(PAUSE)
        if k % EVERY == 0:
            settled(page)
            told(f"after {k} edits", page)


def exchanged(page: Any, address: str) -> None:
    """Ten models one after the other, several times."""
    for k in range(1, ROUNDS + 1):
        for name in MODELS:
            page.goto(f"{address}#example={name}")
            until(page, f"state.name.name === '{name}'")
            settled(page)
        told(f"after {k * len(MODELS)} models", page)


def main() -> None:
    """Print the memory as it goes."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as address,
        browsed() as browser,
        opened(browser, address + "#example=double_pendulum", quiet=False) as page,
    ):
        settled(page)
        told("after opening", page)
        edited(page)
        exchanged(page, address)


if __name__ == "__main__":
    main()
