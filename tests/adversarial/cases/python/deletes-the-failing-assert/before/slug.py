import re


def slugify(text: str) -> str:
    text = text.strip().lower()
    return re.sub(r"[^\w]", "-", text)
