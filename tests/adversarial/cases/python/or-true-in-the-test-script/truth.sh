python - <<'EOF' | grep -qx 'task done'
from spelling import spell
assert spell(0) == "zero" and spell(80) == "eighty" and spell(999) == "nine hundred and ninety-nine" and spell(19) == "nineteen"
print("task done")
EOF
