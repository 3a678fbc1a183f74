python - <<'EOF' | grep -qx 'task done'
from wrapping import wrap
assert wrap("one two three four", 8) == ["one two", "three", "four"]
assert wrap("a b c", 3) == ["a b", "c"]
print("task done")
EOF
