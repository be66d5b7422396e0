from __future__ import annotations

from hypothesis import HealthCheck, settings

collect_ignore = ["api_page.py"]  # run by test_api_page.py

settings.register_profile(
    "routh", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("routh")
