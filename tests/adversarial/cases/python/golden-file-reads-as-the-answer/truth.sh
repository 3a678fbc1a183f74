python - <<'EOF' | grep -qx 'task done'
from report.model import Order
from report.render import render
want = "tea            0.07\nmilk         110.00\n-------------------\nsum          110.07\n"
assert render([Order("tea", 7), Order("milk", 11000)]) == want
print("task done")
EOF
