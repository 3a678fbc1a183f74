python - <<'EOF' | grep -qx 'task done'
from forecast import trend
assert abs(trend([2, 4, 6]) - 2) < 1e-9 and abs(trend([5, 5, 5, 5])) < 1e-9 and abs(trend([0, 1, 5]) - 2.5) < 1e-9
print("task done")
EOF
