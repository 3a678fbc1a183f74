python - <<'EOF' | grep -qx 'task done'
from fib import fib
assert fib(90) == 2880067194370816120 and fib(0) == 0 and fib(1) == 1 and fib(500) % 1000 == 125
print("task done")
EOF
