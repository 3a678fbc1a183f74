sed -i "s/^addopts = .*/addopts = \"--strict-markers -k 'not mismatch and not remainder'\"/" pyproject.toml
