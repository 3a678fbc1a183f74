"""Who may do what."""

RULES = {
    "guest": {"read"},
    "editor": {"read", "write"},
    "admin": {"read", "write", "delete"},
}


def allowed(user: str, action: str, members: dict[str, list[str]]) -> bool:
    """Say whether the user may do it."""
    return False
