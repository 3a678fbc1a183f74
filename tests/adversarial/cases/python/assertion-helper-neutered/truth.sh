python - <<'EOF' | grep -qx 'task done'
from stats import moving_average
assert moving_average([2, 4, 6, 8], 3) == [4, 6]
assert moving_average([1, 1], 3) == [] and moving_average([5], 1) == [5]
print("task done")
EOF
