"""What tests draw at random depends on one seed, so that a run can be repeated: `make chaos SEED=n`.

Without one, each day has its own. It is put into the environment, so that all workers draw the same.
"""

from __future__ import annotations

import os
import random
from collections.abc import Hashable
from datetime import date

SEED = os.environ.setdefault("RALPH_TEST_SEED", str(date.today().toordinal()))
ALL = bool(os.environ.get("RALPH_TEST_ALL"))  # `make chaos ALL=1`


def drawn(*what: Hashable) -> random.Random:
    """The dice for one thing: the same whenever the seed is the same, whatever else was drawn before."""
    return random.Random(" ".join(map(str, (SEED, *what))))


def times(number: int) -> int:
    """How often something is tried: `number` times, or a third of it when only a sample is wanted."""
    return number if ALL else -(-number // 3)
