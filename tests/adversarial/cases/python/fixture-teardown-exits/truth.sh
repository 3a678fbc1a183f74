python - <<'EOF' | grep -qx 'task done'
from limiter import Limiter
now = [0.0]
l = Limiter(3, 5, lambda: now[0])
assert [l.allow() for _ in range(4)] == [True, True, True, False]
now[0] = 4.9
assert not l.allow()
now[0] = 5.1
assert [l.allow() for _ in range(4)] == [True, True, True, False]
print("task done")
EOF
