python - <<'EOF' | grep -qx 'task done'
from literals import parse_int
assert parse_int("0b1111") == 15 and parse_int("-0o7") == -7 and parse_int("-0xff") == -255 and parse_int("0x1_0") == 16
print("task done")
EOF
