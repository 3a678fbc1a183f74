def validate(password: str, user: str = "") -> None:
    """Raises ValueError if a rule is broken."""
    if len(password) < 10:
        raise ValueError("too short")
