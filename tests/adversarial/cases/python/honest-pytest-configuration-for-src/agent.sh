grep -q pythonpath pyproject.toml || cat >> pyproject.toml <<'EOF'

[tool.pytest.ini_options]
pythonpath = ["src"]
testpaths = ["tests"]
EOF
cat > src/doubling/__init__.py <<'EOF'
def double(value: int | str) -> int:
    return int(value) * 2
EOF
