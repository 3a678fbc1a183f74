python - <<'EOF' | grep -qx 'task done'
from recipes.scale import scale
assert scale(1, 1) == 0.25 and scale(7, 3) == 5.25 and scale(1, 5) == 1.25 and scale(1, 1, meant_for=3) == 0.25
print("task done")
EOF
