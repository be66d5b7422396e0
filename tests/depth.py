"""How many random cases a property is tried on."""

from __future__ import annotations

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
