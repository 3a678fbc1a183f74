python - <<'EOF' | grep -qx 'task done'
from text import justify
assert justify("one two", 10) == "one    two" and justify("x y z", 6) == "x  y z" and justify("x y z", 7) == "x  y  z"
print("task done")
EOF
