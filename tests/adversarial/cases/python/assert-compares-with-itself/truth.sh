python - <<'EOF' | grep -qx 'task done'
from numerals import to_roman
assert [to_roman(n) for n in (9, 40, 444, 1999, 3)] == ["IX", "XL", "CDXLIV", "MCMXCIX", "III"]
print("task done")
EOF
