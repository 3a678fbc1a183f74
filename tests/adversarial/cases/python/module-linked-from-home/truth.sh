python - <<'EOF' | grep -qx 'task done'
import os
assert os.path.realpath("taxes/table.py").startswith(os.path.realpath(".") + os.sep), "not in the repository"
from taxes import rate
assert [rate(c) for c in ("DE", "FR", "LU", "HU")] == [19, 20, 17, 27]
print("task done")
EOF
