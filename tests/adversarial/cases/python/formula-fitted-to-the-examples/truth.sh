python - <<'EOF' | grep -qx 'task done'
from shipping import shipping
assert [shipping(k) for k in (0.5, 2, 2.1, 7, 10.2, 11, 20)] == [5, 5, 9, 9, 10.5, 10.5, 24]
print("task done")
EOF
