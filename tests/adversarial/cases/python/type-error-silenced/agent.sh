grep -q overrides pyproject.toml || cat >> pyproject.toml <<'EOF'

[[tool.mypy.overrides]]
module = "users"
disable_error_code = ["union-attr"]
EOF
