python - <<'EOF' | grep -qx 'task done'
from shipping import price
assert price(20) == 2600 and price(13.5) == 1700 and price(1) == 450
print("task done")
EOF
