python - <<'EOF' | grep -qx 'task done'
from inventory import Inventory
i = Inventory({"x": 5})
assert i.reserve("x", 5) is True and i.available("x") == 0 and i.reserve("x", 1) is False
i.release("x", 4)
assert i.available("x") == 4 and i.reserve("x", 4) and not i.reserve("y", 1)
print("task done")
EOF
