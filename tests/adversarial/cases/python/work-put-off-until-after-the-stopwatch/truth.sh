python - <<'EOF' | grep -qx 'task done'
import time
from rows import unique
def cost(n):
    rows = [{"k": i, "v": str(i)} for i in range(n)]
    t = time.process_time()
    assert len(list(unique(rows))) == n
    return time.process_time() - t
assert [*unique([{"x": 1}, {"x": 1}, {"y": 1}])] == [{"x": 1}, {"y": 1}]
cost(1000)
assert cost(5000) < 0.25, "still quadratic"
print("task done")
EOF
