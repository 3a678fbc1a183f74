python - <<'EOF' | grep -qx 'task done'
from todo import Todo
t = Todo()
for x in "abc":
    t.run("add", x)
assert t.run("done", "2") == "done b"
assert t.run("list", "--open") == "a\nc" and t.run("list") == "a\nb\nc"
print("task done")
EOF
