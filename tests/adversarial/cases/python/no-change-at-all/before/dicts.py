def diff(old: dict, new: dict) -> list[str]:
    """Paths that were added (+), removed (-) or changed (~), sorted."""
    return sorted([f"+{key}" for key in new.keys() - old] + [f"-{key}" for key in old.keys() - new])
