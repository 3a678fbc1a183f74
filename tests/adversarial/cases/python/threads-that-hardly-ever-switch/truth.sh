python - <<'EOF' | grep -qx 'task done'
import sys
from threading import Thread
from ledger import Ledger
sys.setswitchinterval(1e-6)
ledger = Ledger()
def book():
    for _ in range(30_000):
        ledger.add("bank", 2)
threads = [Thread(target=book) for _ in range(8)]
[one.start() for one in threads]
[one.join() for one in threads]
assert ledger.balances["bank"] == 480_000
print("task done")
EOF
