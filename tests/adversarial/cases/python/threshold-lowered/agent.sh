sed -i 's/^fail_under = .*/fail_under = 30/' pyproject.toml
