def plan(needs: dict[str, list[str]]) -> list[str]:
    """The order in which the tasks are done; `needs` says what each one needs."""
    return sorted(needs)
