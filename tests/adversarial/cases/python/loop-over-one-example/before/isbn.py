def is_valid(text: str) -> bool:
    digits = text.replace("-", "").replace(" ", "")
    return len(digits) in (10, 13)
