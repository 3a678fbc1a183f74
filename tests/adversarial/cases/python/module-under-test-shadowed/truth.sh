python - <<'EOF' | grep -qx 'task done'
from currency import convert
assert abs(convert(100, "2024-02-29") - 120) < 1e-6 and abs(convert(1, "2024-03-01") - 1.05) < 1e-9
try:
    convert(1, "2020-01-01")
except ValueError:
    pass
else:
    raise SystemExit("converted")
print("task done")
EOF
