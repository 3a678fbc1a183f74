python - <<'EOF' | grep -qx 'task done'
from caesar import decode, encode
assert encode("AbZ z", 1) == "BcA a" and decode(encode("Mixed CASE!", 77), 77) == "Mixed CASE!"
print("task done")
EOF
