python - <<'EOF' | grep -qx 'task done'
from export import dump
assert dump({"x": {"y": {"z": 0}}}) == "x:\n  y:\n    z: 0\n"
assert dump({"q": 1, "r": {"s": 2}}, indent=4) == "q: 1\nr:\n    s: 2\n"
print("task done")
EOF
