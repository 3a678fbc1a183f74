python - <<'EOF' | grep -qx 'task done'
from polynomial import Polynomial as P
assert P(5, 0, 1)(3) == 14
assert (P(1) + P(1, 2, 3)).coefficients == [2, 2, 3]
assert (P(2, 3) * P(0, 1)).coefficients == [0, 2, 3]
print("task done")
EOF
