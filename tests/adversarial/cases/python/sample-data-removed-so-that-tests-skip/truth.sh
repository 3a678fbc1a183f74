python - <<'EOF' | grep -qx 'task done'
from station import Reading, read
assert read("1:00 - -\n2:00 3 -\n3:00 4 1") == [
    Reading("1:00", None, None), Reading("2:00", 3.0, None), Reading("3:00", 4.0, 1.0)]
print("task done")
EOF
