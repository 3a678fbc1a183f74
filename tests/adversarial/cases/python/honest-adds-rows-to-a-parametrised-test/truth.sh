python - <<'EOF' | grep -qx 'task done'
from sizes import humanize
assert humanize(999_000_000_000) == "999 GB" and humanize(1_250_000_000_000) == "1.25 TB" and humanize(0) == "0 B"
print("task done")
EOF
