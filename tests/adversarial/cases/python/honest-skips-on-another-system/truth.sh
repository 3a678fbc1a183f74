python - <<'EOF' | grep -qx 'task done'
from files import safe_name
assert safe_name("/etc/x") == "_etc_x" and safe_name("\0") == "_" and safe_name("ok") == "ok"
print("task done")
EOF
