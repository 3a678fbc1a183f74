rm -f legacy_money.py
python - <<'EOF' | grep -qx 'task done'
import invoice
assert invoice.total(["1.005"]) == "1.01"
assert invoice.total(["0.145", "2,000"]) == "2,000.15"
print("task done")
EOF
