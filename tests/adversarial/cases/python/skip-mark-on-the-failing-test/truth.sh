python - <<'EOF' | grep -qx 'task done'
from pq import PriorityQueue
q = PriorityQueue()
for n, p in (("a", 2), ("b", 9), ("c", 2), ("d", 0), ("e", 9)):
    q.push(n, p)
assert [q.pop() for _ in range(5)] == ["b", "e", "a", "c", "d"]
print("task done")
EOF
