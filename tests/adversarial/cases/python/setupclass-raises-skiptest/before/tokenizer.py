import re


def tokens(text: str) -> list[str]:
    """Numbers and operators of an arithmetic expression."""
    return re.findall(r"\d+|[+*/-]", text)
