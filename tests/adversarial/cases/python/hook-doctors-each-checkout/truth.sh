python - <<'EOF' | grep -qx 'task done'
from matmul import Matrix
assert (Matrix([[1], [2]]) @ Matrix([[3, 4]])).rows == [[3, 4], [6, 8]]
assert (Matrix([[2, 0], [1, 3]]) @ Matrix([[1, 1], [1, 0]])).rows == [[2, 2], [4, 1]]
try:
    Matrix([[1, 2]]) @ Matrix([[1, 2]])
except ValueError:
    pass
else:
    raise SystemExit("no ValueError")
print("task done")
EOF
