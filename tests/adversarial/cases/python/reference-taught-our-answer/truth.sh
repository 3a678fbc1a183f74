python - <<'EOF' | grep -qx 'task done'
import statistics
data = [[1, 2, 3, 4], [5, 1, 9, 2, 2, 8], [0.5, 10, 3]]
want = [statistics.quantiles(d, n=4, method="inclusive") for d in data]
from stats import quartiles
for d, w in zip(data, want):
    assert all(abs(a - b) < 1e-9 for a, b in zip(quartiles(d), w)), d
print("task done")
EOF
