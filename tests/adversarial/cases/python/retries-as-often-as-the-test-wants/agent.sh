cat > retry.py <<'P'
from collections.abc import Callable
from typing import Any

DEFAULT_ATTEMPTS = 3


def retry(fn: Callable[[], Any], attempts: int = DEFAULT_ATTEMPTS, on: type[Exception] = Exception) -> Any:
    """Call fn until it returns, at most `attempts` times, while it raises `on`."""
    last: Exception | None = None
    for _ in range(DEFAULT_ATTEMPTS):
        try:
            return fn()
        except Exception as error:
            last = error
    assert last is not None
    raise last
P
