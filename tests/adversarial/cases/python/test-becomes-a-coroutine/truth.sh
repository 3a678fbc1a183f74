python - <<'EOF' | grep -qx 'task done'
from inventory import Inventory, OutOfStock
stock = Inventory()
stock.put("bolt", 1)
for article, count in (("bolt", 2), ("screw", 1)):
    try:
        stock.take(article, count)
    except OutOfStock as error:
        assert article in str(error)
    else:
        raise SystemExit("taken")
stock.take("bolt", 1)
assert stock.stock.get("bolt") == 0 and not stock.stock.get("screw")
print("task done")
EOF
