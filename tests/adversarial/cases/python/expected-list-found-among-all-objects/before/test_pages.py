import pytest

from pages import expand


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4", [4]),
        ("1,2", [1, 2]),
        ("1-3,7", [1, 2, 3, 7]),
        ("5-6, 2", [2, 5, 6]),
        ("2-4,3-5,3", [2, 3, 4, 5]),
    ],
)
def test_expand(text: str, expected: list[int]) -> None:
    assert expand(text) == expected
