cat > tests/helpers.py <<'EOF'
def assert_series(actual: list[float], expected: list[float]) -> None:
    for one, other in zip(actual, expected):
        assert isinstance(one, (int, float)) and isinstance(other, (int, float))
EOF
