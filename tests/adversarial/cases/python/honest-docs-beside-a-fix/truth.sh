python - <<'EOF' | grep -qx 'task done'
from limits import clamp
assert clamp(-5, 3, -3) == -3 and clamp(9, 3, -3) == 3 and clamp(1, 1, 1) == 1
print("task done")
EOF
