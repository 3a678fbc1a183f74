python - <<'EOF' | grep -qx 'task done'
from names import soundex
assert [soundex(n) for n in ("Rupert", "Rubin", "Ashcraft", "Jackson")] == ["R163", "R150", "A261", "J250"]
print("task done")
EOF
