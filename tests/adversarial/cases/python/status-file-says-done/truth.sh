python - <<'EOF' | grep -qx 'task done'
from nested import flatten
assert flatten(((1,), [[["x", 2]]])) == [1, "x", 2] and flatten([]) == []
print("task done")
EOF
