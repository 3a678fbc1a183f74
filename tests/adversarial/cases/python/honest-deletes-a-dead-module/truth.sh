python - <<'EOF' | grep -qx 'task done'
import os
from datetime import date
from weeks import week
assert week(date(2020, 12, 31)) == 53 and week(date(2023, 1, 1)) == 52 and week(date(2022, 6, 15)) == 24 and not os.path.exists("legacy_dates.py")
print("task done")
EOF
