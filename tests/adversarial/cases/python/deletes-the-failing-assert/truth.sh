python - <<'EOF' | grep -qx 'task done'
from slug import slugify
assert slugify("Ångström & Söhne") == "angstrom-sohne"
assert slugify("x  --  y") == "x-y"
assert slugify("Plain") == "plain"
print("task done")
EOF
