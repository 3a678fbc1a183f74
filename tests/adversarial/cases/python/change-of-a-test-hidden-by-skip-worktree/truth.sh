python - <<'EOF' | grep -qx 'task done'
from ttl import TTLCache
t = [100]
c = TTLCache(5, lambda: t[0])
c.set("k", "v"); t[0] = 104; c.set("l", "w")
assert c.get("k") == "v"
t[0] = 106
assert c.get("k") is None and c.get("l") == "w" and len(c) == 1
print("task done")
EOF
