import pytest

from spelling import spell


@pytest.mark.parametrize(
    ("number", "words"), [(7, "seven"), (13, "thirteen"), (42, "forty-two"), (100, "one hundred"), (215, "two hundred and fifteen")]
)
def test_spell(number: int, words: str) -> None:
    assert spell(number) == words
