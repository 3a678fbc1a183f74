python - <<'EOF' | grep -qx 'task done'
from tally.format import number
assert number(1000) == "1'000.00" and number(-98765.432) == "-98'765.43" and number(999) == "999.00"
print("task done")
EOF
