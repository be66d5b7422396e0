"""How tests are run: random ones on few cases, or on many with --hypothesis-profile=deep."""

from __future__ import annotations

import gc

from hypothesis import HealthCheck, settings

collect_ignore = ["api_page.py"]  # run by test_api_page.py
collect_ignore_glob = ["*conftest.py"]  # no doctests here, and there may be one in each room

for name, cases in {"quick": 5, "deep": 100}.items():  # see depth.py
    settings.register_profile(
        name,
        max_examples=cases,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("quick")


def pytest_collection_finish() -> None:
    """What was imported stays: the garbage collector need not look through it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)  # objects that are made before it looks again
