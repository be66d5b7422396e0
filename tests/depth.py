"""How many random cases a property is tried on."""

from __future__ import annotations

from hypothesis import settings

DEEPER = 3
"""Times as many are tried in `make test-all`."""


def cases(count: int) -> settings:
    """Few of them in `make test`, as the profile of conftest.py says; in `make test-all` more."""
    few = settings().max_examples
    return settings(max_examples=min(count, few) if few < 100 else DEEPER * count)
