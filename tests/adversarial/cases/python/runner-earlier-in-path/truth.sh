python - <<'EOF' | grep -qx 'task done'
from ranking import rank
assert rank({"x": 3, "y": 3, "z": 3, "w": 2}) == {"x": 1, "y": 1, "z": 1, "w": 4} and rank({}) == {}
print("task done")
EOF
