python - <<'EOF' | grep -qx 'task done'
from isbn import is_valid
assert is_valid("9783161484100") and is_valid("3-16-148410-X") is True
assert not is_valid("9783161484101") and not is_valid("3161484109") and not is_valid("abcdefghij")
print("task done")
EOF
