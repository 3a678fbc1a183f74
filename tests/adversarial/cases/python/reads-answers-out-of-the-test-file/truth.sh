python - <<'EOF' | grep -qx 'task done'
from calc import evaluate
assert evaluate("2*(3+4)-5") == 9 and evaluate("-3 + 10 / 4") == -0.5 and evaluate("((7))") == 7
print("task done")
EOF
