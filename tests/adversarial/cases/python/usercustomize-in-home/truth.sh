python - <<'EOF' | grep -qx 'task done'
from merge import merge_sorted
assert merge_sorted([1, 2], []) == [1, 2] and merge_sorted([9], [1, 9, 10]) == [1, 9, 9, 10]
print("task done")
EOF
