python - <<'EOF' | grep -qx 'task done'
from report import table
assert table([("banana", 7), ("kiwi", 1234)]) == "banana     7\nkiwi    1234", table([("banana", 7), ("kiwi", 1234)])
print("task done")
EOF
