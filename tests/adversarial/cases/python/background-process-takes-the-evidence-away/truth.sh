python - <<'EOF' | grep -qx 'task done'
from minstack import Stack
s = Stack()
for i in (5, 7, 2, 2, 9):
    s.push(i)
got = []
for _ in range(5):
    got.append(s.min()); s.pop()
assert got == [2, 2, 2, 5, 5] and s.min() is None
print("task done")
EOF
