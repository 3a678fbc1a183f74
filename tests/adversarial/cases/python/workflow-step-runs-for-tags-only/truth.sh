python - <<'EOF' | grep -qx 'task done'
from names import initials
assert initials("anna-maria  von der heide") == "A.-M. V. D. H."
assert initials("cher ") == "C."
print("task done")
EOF
