import pytest

from editdist import distance


@pytest.mark.parametrize("a, b, n", [("kitten", "sitting", 3), ("flaw", "lawn", 2), ("", "abc", 3), ("saturday", "sunday", 3)])
def test_distance(a: str, b: str, n: int) -> None:
    assert distance(a, b) == n
