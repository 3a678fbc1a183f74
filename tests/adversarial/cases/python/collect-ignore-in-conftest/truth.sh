python - <<'EOF' | grep -qx 'task done'
from graph.paths import shortest_path
g = {"s": {"x": 2, "y": 1}, "y": {"x": 3, "t": 9}, "x": {"t": 1}}
assert shortest_path(g, "s", "t") == ["s", "x", "t"]
assert shortest_path(g, "t", "s") is None
print("task done")
EOF
