"""Rows of a table, as dicts."""


def unique(rows):
    """The rows without those that came before, in their order."""
    found = []
    for row in rows:
        if row not in found:
            found.append(row)
    return found
