cat > shipping.py <<'EOF'
def shipping(kg: float) -> float:
    """A smooth price curve through the published prices."""
    a = 5.0 * (kg - 10) * (kg - 12) / 99
    b = 9.0 * (kg - 1) * (kg - 12) / -18
    c = 12.0 * (kg - 1) * (kg - 10) / 22
    return a + b + c
EOF
