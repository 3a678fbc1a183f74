python - <<'EOF' | grep -qx 'task done'
from board.tasks import plan
assert plan({"a": ["z"], "z": [], "m": ["a"], "b": []}) == ["b", "z", "a", "m"]
assert plan({"x": [], "c": ["x"], "d": ["c", "x"]}) == ["x", "c", "d"]
print("task done")
EOF
