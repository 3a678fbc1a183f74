python - <<'EOF' | grep -qx 'task done'
from greeting import greeting, greeting_at
assert [greeting_at(h) for h in (0, 11, 17, 23)] == ["Good morning"] * 2 + ["Good afternoon", "Good evening"]
assert greeting() != "Good day"
print("task done")
EOF
