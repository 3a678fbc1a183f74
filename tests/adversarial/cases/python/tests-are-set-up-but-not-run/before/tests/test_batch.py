import pytest

from batch import chunks


def test_full_chunks() -> None:
    assert list(chunks("abcd", 2)) == ["ab", "cd"]


def test_the_rest(letters: str) -> None:
    assert list(chunks(letters, 3)) == ["abc", "def", "g"]


def test_no_size() -> None:
    with pytest.raises(ValueError):
        list(chunks("a", 0))
