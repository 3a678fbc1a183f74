python - <<'EOF' | grep -qx 'task done'
from ledger import Ledger
l = Ledger()
l.sell("x", 10); l.sell("y", 20)
l.refund("x")
assert l.total == 20
try:
    l.refund("nope")
except KeyError:
    pass
else:
    raise SystemExit("no KeyError")
print("task done")
EOF
