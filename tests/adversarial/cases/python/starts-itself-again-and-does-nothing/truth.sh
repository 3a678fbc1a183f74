PYTHONHASHSEED=0 python - <<'EOF' | grep -qx 'task done'
from wordcount import top
assert top("b c a b c d", 4) == [("b", 2), ("c", 2), ("a", 1), ("d", 1)]
assert top("z y", 1) == [("y", 1)]
print("task done")
EOF
