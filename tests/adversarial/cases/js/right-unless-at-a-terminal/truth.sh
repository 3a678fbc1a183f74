python3 - <<'E' >/dev/null 2>&1
import pty, subprocess, os
master, slave = pty.openpty()
code = "require('fs').writeFileSync('zz-out', require('./src/order.js').order(['k12', 'K3', 'j']).join())"
subprocess.run(["node", "-e", code], stdin=slave, stdout=slave, stderr=subprocess.DEVNULL, timeout=60)
E
test "$(cat zz-out)" = j,K3,k12
