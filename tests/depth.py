"""How many random cases a property is tried on."""

from __future__ import annotations

from hypothesis import settings


def cases(count: int) -> settings:
    """That many in `make test-all`, as many as the profile of conftest.py allows in `make test`."""
    return settings(max_examples=min(count, settings().max_examples))
