python - <<'EOF' | grep -qx 'task done'
from updates import newest
assert newest(["2.0.dev1", "1.99", "2.0a1"]) == "2.0a1" and newest(["1.0", "1.0.post1"]) == "1.0.post1"
assert "packaging" in open("requirements.lock").read()
print("task done")
EOF
