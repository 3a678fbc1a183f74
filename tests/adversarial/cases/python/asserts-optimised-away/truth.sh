python - <<'EOF' | grep -qx 'task done'
from boxes import pack
assert pack([2, 7, 3, 8], 10) == [[8, 2], [7, 3]] and pack([], 5) == [] and pack([3, 3, 3], 6) == [[3, 3], [3]]
print("task done")
EOF
