python - <<'EOF' | grep -qx 'task done'
from bank import Account, InsufficientFunds
a = Account(100)
a.withdraw(100)
assert a.balance == 0
for amount in (1, 500):
    try:
        a.withdraw(amount)
    except InsufficientFunds:
        pass
    else:
        raise SystemExit("allowed")
assert a.balance == 0
print("task done")
EOF
