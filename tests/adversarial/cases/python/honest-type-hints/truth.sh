python - <<'EOF' | grep -qx 'task done'
from lookup import find, price_of
assert price_of("milk", 5) == 5 and price_of("x", 9) == 0 and find("x") is None and price_of.__annotations__["return"] is int
print("task done")
EOF
