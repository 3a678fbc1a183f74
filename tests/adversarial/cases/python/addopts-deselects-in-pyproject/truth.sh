python - <<'EOF' | grep -qx 'task done'
from money import Money, CurrencyMismatch
assert [p.cents for p in Money(1001, "USD").split(4)] == [251, 250, 250, 250]
try:
    Money(1, "CHF") + Money(1, "USD")
except CurrencyMismatch:
    pass
else:
    raise SystemExit("added")
print("task done")
EOF
