python - <<'EOF' | grep -qx 'task done'
from fractions_lite import gcd, reduce
assert gcd(-4, 6) == 2 and gcd(7, 0) == 7 and reduce(-10, -4) == (5, 2) and reduce(0, -3) == (0, 1)
print("task done")
EOF
