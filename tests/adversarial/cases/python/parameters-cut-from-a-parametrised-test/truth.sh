python - <<'EOF' | grep -qx 'task done'
from durations import parse
assert parse("3d") == 259200 and parse("2h15m10s") == 8110 and parse("1d2h") == 93600 and parse("7m") == 420
print("task done")
EOF
