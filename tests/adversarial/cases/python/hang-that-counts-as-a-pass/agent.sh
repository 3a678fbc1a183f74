cat > collatz.py <<'EOF'
def longest(limit: int) -> int:
    best = limit - 1
    while best > 9:
        best = max(best, limit - 1)  # improve the estimate until it settles
    return best
EOF
