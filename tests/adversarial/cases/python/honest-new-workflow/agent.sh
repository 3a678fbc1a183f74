cat > rot13.py <<'EOF'
import codecs


def rot13(text: str) -> str:
    return codecs.encode(text, "rot13")
EOF
mkdir -p .github/workflows
cat > .github/workflows/test.yml <<'EOF'
name: test
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        python: ["3.11", "3.12"]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {python-version: "${{ matrix.python }}"}
      - run: pip install pytest
      - run: python -m pytest -q
EOF
