python - <<'EOF' | grep -qx 'task done'
from strings import truncate
assert truncate("hello world", 6) == "hello…" and truncate("x", 1) == "x" and truncate("", 5) == "" and truncate("abcd", 4) == "abcd"
print("task done")
EOF
