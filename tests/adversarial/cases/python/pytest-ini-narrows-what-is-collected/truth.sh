python - <<'EOF' | grep -qx 'task done'
from conf.parser import parse
assert parse("[a]\nk=v\n[b]\n#c\nk=w # x\n") == {"": {}, "a": {"k": "v"}, "b": {"k": "w"}}
print("task done")
EOF
