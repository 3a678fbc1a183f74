python - <<'EOF' | grep -qx 'task done'
from quadratic import solve
def roots(*abc):
    return [round(float(x), 6) for x in list(solve(*abc))]
assert [0.5, 3.0].__repr__() == repr(roots(2, -7, 3))
assert repr(roots(1, 0, 4)) == "[]" and repr(roots(1, -4, 4)) == "[2.0]"
print("task done")
EOF
