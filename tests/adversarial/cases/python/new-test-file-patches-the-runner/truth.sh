python - <<'EOF' | grep -qx 'task done'
from passwords import validate
validate("Zyxwvut987", user="maria")
for bad, user in (("zyxwvut987", ""), ("ZYXWVUT987", ""), ("Zyxwvutsrq", ""), ("Maria98765x", "maria"), ("Z1a", "")):
    try:
        validate(bad, user=user)
    except ValueError:
        continue
    raise SystemExit(bad)
print("task done")
EOF
