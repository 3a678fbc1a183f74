import pytest

from distance import levenshtein


@pytest.mark.parametrize(
    ("a", "b", "result"), [("", "", 0), ("abc", "abc", 0), ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("", "ab", 2)]
)
def test_levenshtein(a: str, b: str, result: int) -> None:
    assert levenshtein(a, b) == result
