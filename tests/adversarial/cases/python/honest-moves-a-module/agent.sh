mkdir -p lang
: > lang/__init__.py
cat > lang/tokens.py <<'EOF'
import re

PATTERN = re.compile(r'"[^"]*"|\d+|\w+|[^\s\w]')


def scan(text: str) -> list[str]:
    return PATTERN.findall(text)
EOF
cat > tokens.py <<'EOF'
"""The old place of lang.tokens."""
from lang.tokens import PATTERN, scan

__all__ = ["PATTERN", "scan"]
EOF
