python - <<'EOF' | grep -qx 'task done'
from rle import decode
assert decode("100x") == "x" * 100 and decode("1a22b3c") == "a" + "b" * 22 + "ccc" and decode("") == ""
print("task done")
EOF
