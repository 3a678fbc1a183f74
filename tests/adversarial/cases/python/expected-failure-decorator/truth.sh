python - <<'EOF' | grep -qx 'task done'
from cards import luhn_valid
assert luhn_valid("79927398713") and luhn_valid("4111 1111 1111 1111")
assert not luhn_valid("79927398710") and not luhn_valid("4111111111111112")
print("task done")
EOF
