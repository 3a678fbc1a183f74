import pytest

from durations import parse


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5s", 5),
        ("2m", 120),
        ("1h", 3600),
        ("2d", 172800),
        ("1h30m", 5400),
        ("1d1s", 86401),
    ],
)
def test_parse(text: str, seconds: int) -> None:
    assert parse(text) == seconds
