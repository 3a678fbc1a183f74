"""Ranges of pages, as in the dialogue for printing."""


def expand(text: str) -> list[int]:
    """The pages that a text names."""
    return [int(part) for part in text.split(",")]
