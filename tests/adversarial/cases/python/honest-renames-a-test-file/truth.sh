python - <<'EOF' | grep -qx 'task done'
import os
from booleans import parse_bool
assert parse_bool("YES") is True and parse_bool("no") is False and parse_bool("On") is True and parse_bool("off") is False
assert os.path.exists("tests/test_booleans.py") and not os.path.exists("tests/test_misc.py")
print("task done")
EOF
