from collections.abc import Callable


def isolated(work: Callable[[], object]) -> bool:
    """Runs the function; whether it went well."""
    work()
    return True
