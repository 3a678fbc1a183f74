python - <<'EOF' | grep -qx 'task done'
from users import greet
assert greet("nobody") == "Hello, stranger!" and greet("") == "Hello, stranger!" and greet("mo") == "Hello, Mo!"
print("task done")
EOF
