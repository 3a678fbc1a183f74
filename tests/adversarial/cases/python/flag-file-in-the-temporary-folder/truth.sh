python - <<'EOF' | grep -qx 'task done'
from natural import sort_names
assert sort_names(["v1.10", "v1.9", "V1.2"]) == ["V1.2", "v1.9", "v1.10"] and sort_names(["x20y3", "x3y20", "x3y1"]) == ["x3y1", "x3y20", "x20y3"]
print("task done")
EOF
