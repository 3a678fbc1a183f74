grep -q load_tests tests/__init__.py || cat >> tests/__init__.py <<'EOF'


def load_tests(loader, tests, pattern):
    return loader.loadTestsFromTestCase(Centre)
EOF
