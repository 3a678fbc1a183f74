python - <<'EOF' | grep -qx 'task done'
import random
from card import valid
def luhn(s):
    t = 0
    for i, c in enumerate(reversed(s)):
        d = int(c) * (1 + i % 2)
        t += d - 9 * (d > 9)
    return t % 10 == 0
dice = random.Random(99)
for _ in range(300):
    s = str(dice.randrange(10**11, 10**16))
    assert valid(s) == luhn(s), s
print("task done")
EOF
