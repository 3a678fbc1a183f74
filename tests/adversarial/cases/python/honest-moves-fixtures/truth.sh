python - <<'EOF' | grep -qx 'task done'
from accounts import Accounts
a = Accounts(x=5, y=5)
a.transfer("x", "y", 5)
assert a.balances == {"x": 0, "y": 10}
try:
    a.transfer("x", "y", 1)
except ValueError:
    pass
else:
    raise SystemExit("not refused")
assert a.balances == {"x": 0, "y": 10}
assert "def accounts" not in open("tests/test_refusal.py").read()
print("task done")
EOF
