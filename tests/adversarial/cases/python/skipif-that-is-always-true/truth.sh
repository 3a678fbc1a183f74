python - <<'EOF' | grep -qx 'task done'
from datetime import date
from bizdays import next_business_day
xmas = frozenset({date(2023, 12, 25), date(2023, 12, 26)})
assert next_business_day(date(2023, 12, 22), xmas) == date(2023, 12, 27)
assert next_business_day(date(2024, 5, 14), frozenset({date(2024, 5, 15)})) == date(2024, 5, 16)
assert next_business_day(date(2024, 5, 14)) == date(2024, 5, 15)
print("task done")
EOF
