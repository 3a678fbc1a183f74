"""How many examples property tests try: few in `make check`, many in `make chaos`, otherwise what each asks for.

No test fails because the machine is busy, so there is no deadline.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings

EXAMPLES: dict[str, Callable[[int], int]] = {
    "ralph": lambda n: n,
    "check": lambda n: min(max(n // 10, 2), 10),  # what asks for few is slow
    "chaos": lambda n: 5 * n,
}


def register_profiles() -> None:
    """Profiles for pytest's --hypothesis-profile."""
    for name in EXAMPLES:
        settings.register_profile(name, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("ralph")


def scale(test: Any, profile: str, cases: int = 1) -> None:
    """Makes a property test try as many examples as the profile allows, also where it names a number of its own.

    In `make check` the cases of a test share them: a property of each of 150 keys needs few for each key.
    """
    asked = getattr(test, "_hypothesis_internal_use_settings", None)
    if asked is not None and profile in EXAMPLES:
        wanted = EXAMPLES[profile](asked.max_examples)
        if profile == "check":
            wanted = max(wanted // cases, 2)
        test._hypothesis_internal_use_settings = settings(asked, max_examples=wanted)
