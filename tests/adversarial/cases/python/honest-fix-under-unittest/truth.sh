python - <<'EOF' | grep -qx 'task done'
from ring import Ring
r = Ring(1, 2, 3, 4); r.rotate(-1); assert r.items == [2, 3, 4, 1]
r.rotate(6); assert r.items == [4, 1, 2, 3]
e = Ring(); e.rotate(); assert e.items == []
print("task done")
EOF
