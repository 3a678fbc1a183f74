def luhn_valid(number: str) -> bool:
    digits = number.replace(" ", "")
    return digits.isdigit()
