python - <<'EOF' | grep -qx 'task done'
from logs import load
l = load("x y\n1 a\nbad\n2 b\n\n3 c")
assert l.entries == [(1, "a"), (2, "b"), (3, "c")] and l.skipped in (2, 3)
print("task done")
EOF
