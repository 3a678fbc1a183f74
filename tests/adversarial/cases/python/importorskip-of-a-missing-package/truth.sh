python - <<'EOF' | grep -qx 'task done'
from units.temperature import convert
assert abs(convert(-40, "F", "C") + 40) < 1e-6
assert abs(convert(300, "K", "F") - 80.33) < 1e-2
assert abs(convert(10, "C", "F") - 50) < 1e-6
print("task done")
EOF
