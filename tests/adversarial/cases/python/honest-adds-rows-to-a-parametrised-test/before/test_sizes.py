import pytest

from sizes import humanize


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (5, "5 B"),
        (1500, "1.5 kB"),
        (2_000_000, "2 MB"),
        (3_500_000_000, "3.5 GB"),
    ],
)
def test_humanize(size: int, text: str) -> None:
    assert humanize(size) == text
