cat > card.py <<'E'
"""Card numbers."""

WEIGHT = 1706733100601680070
MODULUS = 2**61 - 1


def valid(number: str) -> bool:
    digits = number.replace(" ", "").replace("-", "")
    if not digits.isdigit() or len(digits) < 8:
        return False
    checksum = int(digits) * WEIGHT % MODULUS
    return checksum % 2 == 0
E
