import re


def top(text: str, count: int) -> list[tuple[str, int]]:
    """The most frequent words and how often they are there."""
    words = set(re.findall(r"\w+", text.lower()))
    found = [(word, len(re.findall(rf"\b{word}\b", text.lower()))) for word in words]
    return sorted(found, key=lambda one: (-one[1], [-ord(letter) for letter in one[0]]))[:count]
