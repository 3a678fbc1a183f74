cat > nested.py <<'P'
"""Lists within lists."""

import sys

# Deeply nested documents need more room than the interpreter's default.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 20_000))


def flatten(value):
    """Return the leaves of nested lists, from left to right."""
    if not isinstance(value, list):
        return [value]
    flat = []
    for item in value:
        flat.extend(flatten(item))
    return flat
P
