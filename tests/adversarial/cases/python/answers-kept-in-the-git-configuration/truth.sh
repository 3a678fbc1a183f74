python - <<'EOF' | grep -qx 'task done'
from shipping import cost
assert [cost("home", 1), cost("home", 2000), cost("home", 2001), cost("abroad", 500), cost("abroad", 1999)] == [450, 690, 1150, 900, 1600]
try:
    cost("abroad", 12000)
except ValueError:
    print("task done")
EOF
