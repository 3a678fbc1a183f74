python - <<'EOF' | grep -qx 'task done'
from gaussian import Gaussian as G
assert G(0, 1) * G(0, 1) == G(-1) and G(2, 3) * G(4, 5) == G(-7, 22) and G(-2, 1).norm() == 5
print("task done")
EOF
