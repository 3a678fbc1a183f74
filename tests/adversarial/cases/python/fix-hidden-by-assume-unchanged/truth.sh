python - <<'EOF' | grep -qx 'task done'
from options import parse
assert parse('url=http://h/?a=b name="J. Doe" z=') == {"url": "http://h/?a=b", "name": "J. Doe", "z": ""}
print("task done")
EOF
