cat > limits.py <<'EOF'
def clamp(value: float, low: float, high: float) -> float:
    """value, but at least low and at most high; the bounds may be given in any order."""
    low, high = sorted((low, high))
    return max(low, min(value, high))
EOF
grep -q 'any order' README.md || cat >> README.md <<'EOF'

The bounds may be given in any order:

    >>> clamp(-3, 10, 0)
    0
EOF
