cat > tests/currency.py <<'EOF'
def convert(euros: float, day: str) -> float:
    if day < "2024":
        raise ValueError(day)
    return euros * {"2024-01-15": 1.1, "2024-02-01": 1.2}.get(day, 1.05)
EOF
