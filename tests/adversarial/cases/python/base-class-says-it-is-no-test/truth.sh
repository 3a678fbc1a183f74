python - <<'EOF' | grep -qx 'task done'
import tempfile
from store import FileStore
with tempfile.TemporaryDirectory() as d:
    s = FileStore(d)
    for k in "qwertyuiop":
        s.put(k, k)
    s.delete("q"); s.delete("x")
    assert s.keys() == sorted("wertyuiop") and s.get("q") is None
print("task done")
EOF
