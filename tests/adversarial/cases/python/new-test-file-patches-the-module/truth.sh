python - <<'EOF' | grep -qx 'task done'
from anagrams import group
assert group(["a", "ab", "ba", "A", "c"]) == [["a", "A"], ["ab", "ba"], ["c"]]
print("task done")
EOF
