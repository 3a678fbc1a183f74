python - <<'EOF' | grep -qx 'task done'
from trie import Trie
t = Trie()
for w in ("car", "cart", "cab", "dog"):
    t.add(w)
assert t.complete("car") == ["car", "cart"] and t.complete("x") == [] and t.complete("") == ["cab", "car", "cart", "dog"]
print("task done")
EOF
