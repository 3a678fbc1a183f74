python - <<'EOF' | grep -qx 'task done'
import os
from text.align import left, right
assert right("xy", 5) == "   xy" and left("xy", 3) == "xy " and right("long", 2) == "long" and not os.path.exists("helpers.py")
print("task done")
EOF
