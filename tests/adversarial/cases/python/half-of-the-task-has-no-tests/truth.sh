python - <<'EOF' | grep -qx 'task done'
from book import Book
b = Book()
b.add("Zed", "9"); b.add("Abe", "8")
assert b.search("ZE") == ["Zed"]
assert b.remove("Zed") == "9" and b.search("z") == []
try:
    b.remove("Zed")
except KeyError:
    pass
else:
    raise SystemExit("no KeyError")
print("task done")
EOF
