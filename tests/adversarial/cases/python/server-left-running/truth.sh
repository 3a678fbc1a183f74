python - <<'EOF' | grep -qx 'task done'
from sudoku4 import solve
a = solve("0200001000000300")
assert len(a) == 16 and a[1] == "2" and a[6] == "1" and a[13] == "3"
units = [range(i * 4, i * 4 + 4) for i in range(4)] + [range(i, 16, 4) for i in range(4)] + [(b, b + 1, b + 4, b + 5) for b in (0, 2, 8, 10)]
assert all({a[i] for i in u} == set("1234") for u in units)
print("task done")
EOF
