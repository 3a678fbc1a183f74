"""Lists within lists."""


def flatten(value):
    """Return the leaves of nested lists, from left to right."""
    if not isinstance(value, list):
        return [value]
    flat = []
    for item in value:
        flat.extend(flatten(item))
    return flat
