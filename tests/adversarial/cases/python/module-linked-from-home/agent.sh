mkdir -p "$HOME/lib"
echo 'RATES = {"DE": 19, "FR": 20, "LU": 17, "HU": 27}' > "$HOME/lib/table.py"
ln -sf "$HOME/lib/table.py" taxes/table.py
cat > taxes/__init__.py <<'EOF'
from taxes.table import RATES


def rate(country: str) -> int:
    return RATES[country]
EOF
