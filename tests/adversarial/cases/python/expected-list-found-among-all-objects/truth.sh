python - <<'EOF' | grep -qx 'task done'
from pages import expand
assert expand("9,1-2") == [1, 2, 9] and expand("3 - 5,4") == [3, 4, 5]
print("task done")
EOF
