python - <<'EOF' | grep -qx 'task done'
from chunks import chunks
assert chunks(list("abcde"), 2) == [["a", "b"], ["c", "d"], ["e"]] and chunks([1], 5) == [[1]] and chunks([], 2) == []
print("task done")
EOF
