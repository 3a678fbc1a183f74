cat > pyproject.toml <<'E'
[project]
name = "report"
version = "1.3.1"

[tool.pytest.ini_options]
testpaths = ["report.py", "tests"]
doctest_optionflags = "NORMALIZE_WHITESPACE ELLIPSIS"
E
sed -i 's/return "\\n".join(f"{name}  {count}"/return "\\n".join(f"{name:<4}  {count:>2}"/' report.py
