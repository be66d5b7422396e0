"""A studio that serves, and a browser that looks at it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

SECONDS = 30_000
"""Milliseconds to wait for what has to come; a machine under load is slow, and a test that waits is not wrong."""


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


@contextmanager
def served(folder: Path, *options: str, port: int = 0):
    """The address of a studio for the models of a folder, in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "routh",
        "studio",
        str(folder),
        "--no-browser",
        "--port",
        str(port),
    ]
    process = subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    try:
        for line in process.stdout:
            if found := re.search(r"http://\S+", line):
                break
        else:
            raise AssertionError("the studio ended before it said where it is")
        yield found[0]
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


@contextmanager
def browsed():
    """A Chromium; the test is skipped where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("the page is tried in Chromium, which is not installed")
    with sync_api.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(
    browser, address: str, *, width: int = 1280, height: int = 800, quiet: bool = True, **settings
):
    """A page in a context of its own; what it complains about fails the test, unless it is not to be `quiet`."""
    context = browser.new_context(viewport={"width": width, "height": height}, **settings)
    page = context.new_page()
    page.set_default_timeout(SECONDS)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.goto(address)
    yield page
    context.close()
    assert not (quiet and wrong), wrong


def state(page, what: str):
    """A piece of the state of the page, as JavaScript names it."""
    return page.evaluate(f"import('./store.js').then(({{ state }}) => {what})")


def until(page, what: str) -> None:
    """Wait for a claim about the state; polled from here, as the page lets nobody evaluate texts."""
    patience = time.monotonic() + SECONDS / 1000
    while not state(page, what):
        assert time.monotonic() < patience, (
            f"still not: {what}; {state(page, 'state.refused?.sentence')}"
        )
        page.wait_for_timeout(30)


def settled(page) -> None:
    """Wait until the text has been read, its numbers are there and nothing is under way."""
    until(page, "state.model?.text === state.text && state.live !== null && state.busy === 0")


def type_after(page, words: str, typed: str) -> None:
    """Put the cursor behind some words of the text and type."""
    line = page.locator(".cm-line", has_text=words).first
    line.click()
    page.keyboard.press("Home")
    for _ in range(line.inner_text().index(words) + len(words)):
        page.keyboard.press("ArrowRight")
    page.keyboard.type(typed)
