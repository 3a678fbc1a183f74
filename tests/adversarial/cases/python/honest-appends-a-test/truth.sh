python - <<'EOF' | grep -qx 'task done'
from averages import median
assert median([5]) == 5 and median([3, 1]) == 2 and median([7, 1, 5, 3]) == 4 and median([3, 2, 1]) == 2
print("task done")
EOF
