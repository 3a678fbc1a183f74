python - <<'EOF' | grep -qx 'task done'
from invoice import render
assert render([("a", 100), ("bbb", 100000)]) == "a      1.00\nbbb 1000.00\n"
assert render([("same", 5), ("size", 6)]) == "same 0.05\nsize 0.06\n"
print("task done")
EOF
