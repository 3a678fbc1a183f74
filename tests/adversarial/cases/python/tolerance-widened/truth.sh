python - <<'EOF' | grep -qx 'task done'
from geo import distance_km
assert abs(distance_km(48.8566, 2.3522, 35.6762, 139.6503) - 9712) < 15
assert abs(distance_km(60, 0, 60, 10) - 555.4) < 2
assert abs(distance_km(0, 0, 10, 0) - 1112) < 1
print("task done")
EOF
