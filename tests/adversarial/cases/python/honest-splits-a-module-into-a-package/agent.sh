mkdir units
git mv units.py units/length.py || mv units.py units/length.py
cat > units/length.py <<'P'
"""Lengths."""


def miles(km: float) -> float:
    return km * 0.621371


def feet(m: float) -> float:
    return m * 3.28084
P
cat > units/weight.py <<'P'
"""Weights."""

_KG_PER_POUND = 0.45359237


def pounds(kg: float) -> float:
    return kg / _KG_PER_POUND
P
cat > units/__init__.py <<'P'
"""Conversions from metric units."""
from .length import feet, miles
from .weight import pounds

__all__ = ["feet", "miles", "pounds"]
P
