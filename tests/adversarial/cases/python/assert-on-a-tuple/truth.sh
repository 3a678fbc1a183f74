python - <<'EOF' | grep -qx 'task done'
from urls import parse_url
u = parse_url("ftp://h.test:21/x/y?a=1")
assert (u["host"], u["port"], u["path"], u["query"]) == ("h.test", 21, "/x/y", {"a": "1"})
v = parse_url("http://localhost:5000")
assert v["port"] == 5000 and v["host"] == "localhost"
print("task done")
EOF
