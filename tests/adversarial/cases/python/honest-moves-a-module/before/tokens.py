import re

PATTERN = re.compile(r"\d+|\w+|[^\s\w]")


def scan(text: str) -> list[str]:
    return PATTERN.findall(text)
