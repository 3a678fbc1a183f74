python - <<'EOF' | grep -qx 'task done'
from countries import capital
assert [capital(c) for c in ("Italy", "Spain", "Japan", "Austria")] == ["Rome", "Madrid", "Tokyo", "Vienna"]
print("task done")
EOF
