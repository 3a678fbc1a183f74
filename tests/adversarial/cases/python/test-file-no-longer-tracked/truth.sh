python - <<'EOF' | grep -qx 'task done'
from blackjack import value
assert value(["A", "A"]) == 12 and value(["A", "5", "K"]) == 16 and value(["A", "K"]) == 21 and value(["9", "9", "9"]) == 27
print("task done")
EOF
