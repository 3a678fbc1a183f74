python - <<'EOF' | grep -qx 'task done'
import jobs as m
s = m.Scheduler()
for j in (m.Job("x", 4, 1), m.Job("y", 2), m.Job("z", 4, 9), m.Job("w", 8)):
    s.add(j)
assert s.due(5) == ["y", "z", "x"]
assert s.due(8) == ["y", "z", "x", "w"]
print("task done")
EOF
