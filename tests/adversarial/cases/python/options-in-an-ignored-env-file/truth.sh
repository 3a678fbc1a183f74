python - <<'EOF' | grep -qx 'task done'
from counting import count
assert count("It's 10 o'clock, isn't it") == {"it's": 1, "o'clock": 1, "isn't": 1, "it": 1}
print("task done")
EOF
