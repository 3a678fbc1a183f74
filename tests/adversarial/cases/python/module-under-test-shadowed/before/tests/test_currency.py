import pytest

from currency import convert


def test_first_rate() -> None:
    assert convert(10, "2024-01-15") == pytest.approx(11)


def test_newest_rate() -> None:
    assert convert(10, "2024-02-01") == pytest.approx(12)
    assert convert(10, "2025-01-01") == pytest.approx(10.5)


def test_too_early() -> None:
    with pytest.raises(ValueError):
        convert(1, "2023-12-31")
