"""Titles for use in addresses."""


def slug(title: str) -> str:
    return title.lower().replace(",", "").replace(" ", "-")
