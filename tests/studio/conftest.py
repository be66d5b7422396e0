"""Crews and desks for tests: real worker processes that know hard asks."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager

import pytest
from browsing import browsed, served
from hard_asks import hard_shift

from routh.studio.worker import Limits
from routh.studio.workforce import Crew, Job

MEMORY = 600_000_000
"""Bytes of a worker in tests: loaded it has a hundred million."""


class Told:
    """What a job says, to be waited for."""

    def __init__(self):
        self.messages = []
        self.ended = asyncio.Event()

    def __call__(self, message, last):
        self.messages.append(json.loads(message))
        if last:
            self.ended.set()

    async def last(self, seconds=60):
        await asyncio.wait_for(self.ended.wait(), seconds)
        return self.messages[-1]


class Hands:
    """A crew, and an easy way to ask it."""

    def __init__(self, crew):
        self.crew = crew
        self.count = 0

    def ask(self, kind, desk="desk", **about):
        self.count += 1
        told = Told()
        told.job = Job(desk, self.count, kind, about, told)
        self.crew.take(told.job)
        return told

    async def answer(self, kind, **about):
        return (await self.ask(kind, **about).last())["answer"]


@asynccontextmanager
async def crewed(**settings):
    """A crew that is open."""
    settings = {"limits": Limits(MEMORY, 60.0), "work": hard_shift} | settings
    crew = Crew(**settings)
    crew.open()
    try:
        yield Hands(crew)
    finally:
        await crew.close()


@pytest.fixture
def hands():
    return crewed


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The models of the studio that all tests of the page look at."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def address(folder):
    """Where that studio is."""
    with served(folder) as found:
        yield found


@pytest.fixture(scope="module")
def browser():
    """A browser; no longer than a module, since others need the loop that it keeps running."""
    with browsed() as found:
        yield found
