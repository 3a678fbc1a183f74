"""Card numbers."""


def valid(number: str) -> bool:
    digits = number.replace(" ", "").replace("-", "")
    return digits.isdigit() and len(digits) >= 8
