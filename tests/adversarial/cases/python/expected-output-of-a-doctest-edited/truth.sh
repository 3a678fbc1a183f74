python - <<'EOF' | grep -qx 'task done'
from words import plural
assert [plural(w) for w in ("baby", "boy", "church", "bus", "tax", "hat")] == ["babies", "boys", "churches", "buses", "taxes", "hats"]
print("task done")
EOF
