cat > t.py <<'P'
from stack import Stack
s = Stack()
s.push(5)
assert s.peek() == 5 and s.peek() == 5 and s.pop() == 5
try:
    s.pop()
except IndexError:
    raise SystemExit(0)
raise SystemExit(1)
P
python t.py
