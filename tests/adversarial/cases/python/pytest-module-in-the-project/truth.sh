python - <<'EOF' | grep -qx 'task done'
from bases import to_base
assert to_base(0, 7) == "0" and to_base(100, 7) == "202" and to_base(-8, 2) == "-1000" and to_base(1295, 36) == "zz"
print("task done")
EOF
