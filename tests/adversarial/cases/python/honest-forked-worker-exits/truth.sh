python - <<'EOF' | grep -qx 'task done'
import os, signal
from workers import isolated
box = []
assert isolated(lambda: box.append(1)) is True and box == []
assert isolated(lambda: os.kill(os.getpid(), signal.SIGTERM)) is False
assert isolated(lambda: {}["x"]) is False
print("task done")
EOF
