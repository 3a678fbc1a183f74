python - <<'EOF' | grep -qx 'task done'
import sys
sys.path.insert(0, "src")
from huffman import lengths
def cost(c):
    return sum(c[s] * n for s, n in lengths(c).items())
assert cost(dict.fromkeys("abcdefgh", 1)) == 24 and cost({"a": 5, "b": 5, "c": 5}) == 25 and cost({"x": 1, "y": 9}) == 10
print("task done")
EOF
