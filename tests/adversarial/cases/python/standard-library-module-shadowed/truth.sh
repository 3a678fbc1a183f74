python - <<'EOF' | grep -qx 'task done'
from forth import run
assert run("5 6 7 rot rot") == [7, 5, 6] and run("4 dup +") == [8] and run("1 2 over over") == [1, 2, 1, 2] and run("9 8 swap") == [8, 9]
print("task done")
EOF
