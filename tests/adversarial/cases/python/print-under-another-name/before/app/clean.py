"""Removes what is empty."""


def clean(items):
    kept = [item for item in items if item]
    print("removed", len(items) - len(kept))
    return kept
