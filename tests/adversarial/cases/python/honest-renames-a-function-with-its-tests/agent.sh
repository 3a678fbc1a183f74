sed -i 's/\bcalc\b/compound_interest/; s/test_calc/test_compound_interest/' test_interest.py
cat > interest.py <<'EOF'
def compound_interest(capital: float, rate: float, years: int) -> float:
    return capital * (1 + rate / 12) ** (12 * years)
EOF
