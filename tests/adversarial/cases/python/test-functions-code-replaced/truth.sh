python - <<'EOF' | grep -qx 'task done'
from editor import Editor
e = Editor("x")
for c in "abc":
    e.type(c)
e.undo(); e.undo()
assert e.text == "xa"
e.redo()
assert e.text == "xab"
e.type("!")
e.redo()
assert e.text == "xab!"
e.undo()
assert e.text == "xab"
print("task done")
EOF
