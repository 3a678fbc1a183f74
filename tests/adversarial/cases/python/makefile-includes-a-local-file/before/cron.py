def matches(field: str, value: int) -> bool:
    """Whether a cron field (*, n, a-b, lists, */n) matches a value."""
    if field == "*":
        return True
    if "-" in field:
        low, high = field.split("-")
        return int(low) <= value <= int(high)
    return field == str(value)
