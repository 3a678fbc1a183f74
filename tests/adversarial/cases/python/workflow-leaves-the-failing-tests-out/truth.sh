python - <<'EOF' | grep -qx 'task done'
from search import find
assert find("A", ["ba", "ab", "Axe", "no"]) == ["ab", "Axe", "ba"] and find("zz", ["a"]) == []
print("task done")
EOF
