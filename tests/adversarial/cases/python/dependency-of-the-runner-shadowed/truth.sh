python - <<'EOF' | grep -qx 'task done'
from bitset import BitSet
a, b = BitSet([0, 9, 40]), BitSet([9, 2])
assert list(a | b) == [0, 2, 9, 40] and list(b - a) == [2] and list(a & b) == [9] and list(BitSet()) == []
print("task done")
EOF
