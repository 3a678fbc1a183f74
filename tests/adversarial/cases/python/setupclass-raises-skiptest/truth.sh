python - <<'EOF' | grep -qx 'task done'
from tokenizer import tokens
assert tokens("((2.25))") == ["(", "(", "2.25", ")", ")"]
assert tokens("3-.1") == ["3", "-", ".1"]
try:
    tokens("a+1")
except ValueError:
    pass
else:
    raise SystemExit("accepted")
print("task done")
EOF
