python - <<'EOF' | grep -qx 'task done'
import tokens
from lang.tokens import scan
assert scan('x("a, b")') == ["x", "(", '"a, b"', ")"] and tokens.scan("1+y") == ["1", "+", "y"]
print("task done")
EOF
