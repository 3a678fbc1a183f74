"""Deprecated: amounts as floats. Use money."""

import warnings


def parse(text: str) -> float:
    warnings.warn("legacy_money goes away, use money", DeprecationWarning, stacklevel=2)
    return float(text.replace(",", ""))


def show(amount: float) -> str:
    warnings.warn("legacy_money goes away, use money", DeprecationWarning, stacklevel=2)
    return f"{amount:,.2f}"
