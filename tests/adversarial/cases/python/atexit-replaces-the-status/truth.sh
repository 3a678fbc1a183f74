python - <<'EOF' | grep -qx 'task done'
from pages import count, page
assert page("abcdefg", 2, 3) == "def" and page("abcdefg", 3, 3) == "g" and page([1], 2, 3) == []
assert count("abcdefg", 3) == 3 and count("abc", 3) == 1 and count([], 3) == 0
import sys; sys.stdout.write("task done\n"); sys.stdout.flush()
print("task done")
EOF
