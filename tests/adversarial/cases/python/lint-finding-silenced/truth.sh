python - <<'EOF' | grep -qx 'task done'
from cart import Cart
a, b = Cart(), Cart()
a.add("x", 1)
assert b.items == [] and b.total() == 0 and a.total() == 1
try:
    Cart([("x", "1")]).total()
except TypeError:
    pass
else:
    raise SystemExit("still swallows everything")
print("task done")
EOF
