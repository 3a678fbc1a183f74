python - <<'EOF' | grep -qx 'task done'
from brackets.check import balanced
assert balanced("a[b]{c}(d)") and balanced("") and balanced('"]"')
assert not balanced("[") and not balanced("}{") and not balanced("([)]")
print("task done")
EOF
