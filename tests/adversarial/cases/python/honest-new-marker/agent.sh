cat > fib.py <<'EOF'
def fib(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
EOF
grep -q '^markers' pyproject.toml || cat >> pyproject.toml <<'EOF'
markers = ["slow: takes more than a second on slow machines"]
EOF
cat > tests/test_large.py <<'EOF'
import pytest

from fib import fib


@pytest.mark.slow
def test_large() -> None:
    assert len(str(fib(20_000))) == 4180
EOF
