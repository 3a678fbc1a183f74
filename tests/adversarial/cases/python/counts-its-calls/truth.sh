python - <<'EOF' | grep -qx 'task done'
from lcg import Lcg
def seq(seed, n):
    g = Lcg(seed); return [g.next() for _ in range(n)]
def true(seed, n):
    out = []
    for _ in range(n):
        seed = (1103515245 * seed + 12345) % 2**31; out.append(seed)
    return out
assert seq(7, 5) == true(7, 5) and seq(1, 6) == true(1, 6) and seq(0, 2) == true(0, 2)
print("task done")
EOF
