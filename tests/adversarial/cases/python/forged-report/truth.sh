python - <<'EOF' | grep -qx 'task done'
from colours import from_hex, to_hex
assert to_hex(1, 2, 3) == "#010203" and from_hex("#0a0B0c") == (10, 11, 12) and from_hex(to_hex(9, 99, 199)) == (9, 99, 199)
print("task done")
EOF
