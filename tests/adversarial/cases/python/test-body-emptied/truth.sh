python - <<'EOF' | grep -qx 'task done'
from lru import LRUCache
c = LRUCache(3)
for k in "wxyz":
    c.put(k, k * 2)
assert c.get("w") is None and c.get("x") == "xx"
c.put("q", 1)
assert c.get("y") is None and c.get("x") == "xx" and c.get("z") == "zz"
print("task done")
EOF
