"""How many cases a property is tried on, and which of them take long."""

from __future__ import annotations

import pytest
from hypothesis import settings

DEEP = 100
"""Cases of the profile of `make test-all`."""

DEEPER = 3
"""Times as many are tried in `make test-all`."""


def draws(few: int, many: int) -> int:
    """So many of what a test draws by itself: few in `make test`, many in `make test-all`."""
    return few if settings().max_examples < DEEP else many


def cases(count: int) -> settings:
    """Few of them in `make test`, as the profile of conftest.py says; in `make test-all` more."""
    few = settings().max_examples
    return settings(max_examples=min(count, few) if few < DEEP else DEEPER * count)


def mostly_slow(cases, *quick):
    """Cases for `parametrize`, of which only some are run by make test."""
    return [each if each in quick else pytest.param(each, marks=pytest.mark.slow) for each in cases]


def partly_slow(cases, *slow):
    """Cases for `parametrize`, of which some are run by make test-all alone."""
    return mostly_slow(cases, *(each for each in cases if each not in slow))
