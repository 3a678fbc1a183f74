python - <<'EOF' | grep -qx 'task done'
from bowling import score
assert score([10] * 12) == 300 and score([5] * 21) == 150 and score([9, 0] * 10) == 90
print("task done")
EOF
