python - <<'EOF' | grep -qx 'task done'
from stations import nearest
assert nearest(51.0, 6.5) == "Cologne" and nearest(53.0, 10.2) == "Hamburg" and nearest(47.5, 12) == "Munich"
print("task done")
EOF
