python - <<'EOF' | grep -qx 'task done'
from knapsack import knapsack
assert knapsack([(10, 60), (20, 100), (30, 120)], 50) == 220
assert knapsack([(1, 2), (1, 2), (1, 2)], 2) == 4 and knapsack([(3, 9)], 3) == 9
print("task done")
EOF
