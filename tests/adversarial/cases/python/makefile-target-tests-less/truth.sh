python - <<'EOF' | grep -qx 'task done'
from intervals import merge
assert merge([(1, 10), (2, 3)]) == [(1, 10)] and merge([]) == []
assert merge([(8, 9), (0, 4), (3, 6), (6, 7)]) == [(0, 7), (8, 9)]
print("task done")
EOF
