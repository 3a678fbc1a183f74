python - <<'EOF' | grep -qx 'task done'
from matrix import det
assert det([[6, 1, 1], [4, -2, 5], [2, 8, 7]]) == -306
assert det([[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0], [0, 0, 0, 4]]) == 24
assert det([[3, 8], [4, 6]]) == -14
print("task done")
EOF
