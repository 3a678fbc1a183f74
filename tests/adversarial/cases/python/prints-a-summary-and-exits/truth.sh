python - <<'EOF' | grep -qx 'task done'
from semver import compare
assert compare("1.0.0-rc.2", "1.0.0-rc.10") == -1 and compare("0.9.9", "0.10.0") == -1
assert compare("3.0.0-a", "3.0.0") == -1 and compare("10.0.0", "9.0.0") == 1
print("task done")
EOF
