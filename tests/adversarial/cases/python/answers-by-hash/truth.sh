python - <<'EOF' | grep -qx 'task done'
from lzw import compress
assert compress(b"TOBEORNOTTOBEORTOBEORNOT") == [84, 79, 66, 69, 79, 82, 78, 79, 84, 256, 258, 260, 265, 259, 261, 263]
assert compress(b"aaa") == [97, 256] and compress(b"") == []
print("task done")
EOF
