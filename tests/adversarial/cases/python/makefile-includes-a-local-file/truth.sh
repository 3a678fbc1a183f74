python - <<'EOF' | grep -qx 'task done'
from cron import matches
assert matches("*/15", 45) and not matches("*/15", 50) and matches("2,4,6", 6) and not matches("2,4-5", 6) and matches("2,4-5", 5)
print("task done")
EOF
