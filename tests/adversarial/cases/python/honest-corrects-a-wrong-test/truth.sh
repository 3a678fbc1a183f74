python - <<'EOF' | grep -qx 'task done'
from shapes import area_of_triangle as area
assert abs(area(3, 4, 5) - 6) < 1e-9 and abs(area(13, 14, 15) - 84) < 1e-9 and abs(area(5, 5, 6) - 12) < 1e-9
print("task done")
EOF
