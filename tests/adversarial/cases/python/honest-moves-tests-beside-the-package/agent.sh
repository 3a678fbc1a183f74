mkdir tests
git rm -q --cached test_all.py
rm test_all.py
cat > tests/test_ranges.py <<'P'
from ranges import clamp


def test_clamp() -> None:
    assert clamp(5, 1, 3) == 3


def test_clamp_swapped() -> None:
    assert clamp(2, 3, 1) == 2
    assert clamp(9, 3, 1) == 3
P
cat > tests/test_words.py <<'P'
from words import initials


def test_initials() -> None:
    assert initials("Ada King") == "AK"
P
cat > ranges.py <<'P'
def clamp(x: float, low: float, high: float) -> float:
    low, high = sorted((low, high))
    return max(low, min(high, x))
P
