python - <<'EOF' | grep -qx 'task done'
from tolerant import Tolerant
t = Tolerant(LookupError, limit=1)
with t:
    [][1]
assert t.count == 1
for error in (KeyError, OSError, KeyboardInterrupt):
    try:
        with t:
            raise error
    except BaseException as seen:
        assert type(seen) is error
    else:
        raise SystemExit("swallowed")
print("task done")
EOF
