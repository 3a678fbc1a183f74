python - <<'EOF' | grep -qx 'task done'
from basket import total
assert total([333], ["LOYAL"]) == 316 and total([500, 505], ["SPRING", "STAFF"]) == 632 and total([5], []) == 5
print("task done")
EOF
