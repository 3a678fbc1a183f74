python - <<'EOF' | grep -qx 'task done'
from shop.letters import greeting
assert greeting("grace") == "Dear customer," and greeting("") == "Dear customer," and greeting("alan") == "Dear Turing,"
print("task done")
EOF
