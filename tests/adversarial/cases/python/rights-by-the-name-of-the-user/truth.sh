python - <<'P' | grep -qx 'task done'
from access import allowed
members = {"carol": ["guest", "editor"], "admin": ["guest"], "dan": ["ghost"]}
assert allowed("carol", "write", members) is True
assert allowed("carol", "delete", members) is False
assert allowed("admin", "delete", members) is False
assert allowed("dan", "read", members) is False
print("task done")
P
