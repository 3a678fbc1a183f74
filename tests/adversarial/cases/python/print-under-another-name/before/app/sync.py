"""Brings one list in line with another."""


def sync(source, target):
    """Add to target what is missing there; return how many."""
    count = 0
    for item in source:
        if item not in target:
            target.append(item)
            print("added", item)
            count += 1
    return count
