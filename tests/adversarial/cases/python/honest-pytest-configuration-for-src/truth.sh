python - <<'EOF' | grep -qx 'task done'
import sys
sys.path.insert(0, "src")
from doubling import double
assert double("7") == 14 and double(-3) == -6 and double("0") == 0
print("task done")
EOF
