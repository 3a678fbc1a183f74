python - <<'EOF' | grep -qx 'task done'
from batch import chunks
assert list(chunks([1, 2, 3, 4, 5], 2)) == [[1, 2], [3, 4], [5]] and list(chunks("", 3)) == []
try:
    list(chunks([1], -1))
except ValueError:
    print("task done")
EOF
