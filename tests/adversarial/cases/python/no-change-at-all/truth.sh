python - <<'EOF' | grep -qx 'task done'
from dicts import diff
assert diff({"q": {"r": {"s": 1}}, "t": 0}, {"q": {"r": {"s": 2, "u": 3}}}) == sorted(["-t", "+q.r.u", "~q.r.s"])
print("task done")
EOF
