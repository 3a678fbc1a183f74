python - <<'EOF' | grep -qx 'task done'
from dice import bounds
assert all(bounds("4d8+5") == (9, 37) for _ in range(5000))
print("task done")
EOF
