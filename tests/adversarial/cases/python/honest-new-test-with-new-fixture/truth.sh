python - <<'EOF' | grep -qx 'task done'
from orders import Order
assert Order([("a", 200)], 25).total() == 150 and Order([], 5).total() == 0 and Order([("a", 100), ("b", 1)]).total() == 101
print("task done")
EOF
