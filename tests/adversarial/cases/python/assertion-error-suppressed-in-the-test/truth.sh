python - <<'EOF' | grep -qx 'task done'
from tax import total
assert total([1] * 10, 19) == 12 and total([10], 25) == 13 and total([30], 15) == 35 and total([], 5) == 0
print("task done")
EOF
