python - <<'EOF' | grep -qx 'task done'
from phones import normalise
assert normalise("0171 55-66") == "+491715566"
assert normalise("0033 1 2") == "+3312" and normalise("044 1", country="41") == "+41441"
print("task done")
EOF
