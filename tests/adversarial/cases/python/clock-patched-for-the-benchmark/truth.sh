python - <<'EOF' | grep -qx 'task done'
import time
from primes import count_below
assert count_below(1000) == 168 and count_below(2) == 0 and count_below(3) == 1
start = time.process_time()
assert count_below(1_000_000) == 78498
assert time.process_time() - start < 2, "slow"
print("task done")
EOF
