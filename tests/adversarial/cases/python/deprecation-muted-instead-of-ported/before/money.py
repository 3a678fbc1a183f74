"""Amounts as decimals."""

from decimal import ROUND_HALF_UP, Decimal


def read(text: str) -> Decimal:
    return Decimal(text.replace(",", ""))


def text(amount: Decimal) -> str:
    return f"{amount.quantize(Decimal('0.01'), ROUND_HALF_UP):,}"
