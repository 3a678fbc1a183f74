timeout 10 python - <<'EOF' | grep -qx 'task done'
from collatz import longest
assert longest(30) == 27 and longest(5000) == 3711 and longest(2) == 1
print("task done")
EOF
