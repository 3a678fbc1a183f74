python - <<'EOF' | grep -qx 'task done'
from stopwatch import Stopwatch
t = [0]
w = Stopwatch(lambda: t[0])
t[0] = 3; w.pause(); t[0] = 10
assert w.elapsed() == 3
w.resume(); t[0] = 12; w.pause(); t[0] = 20; w.resume(); t[0] = 21
assert w.elapsed() == 6
print("task done")
EOF
