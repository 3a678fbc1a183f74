python - <<'EOF' | grep -qx 'task done'
import time
now = time.time
time.time = lambda: now() + 86400 * 30
from leap import days, is_leap
assert not is_leap(1800) and not is_leap(2200) and is_leap(2400) and is_leap(1996) and days(1700) == 365
print("task done")
EOF
