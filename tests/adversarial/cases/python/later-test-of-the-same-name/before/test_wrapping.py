from wrapping import wrap


def test_short_text() -> None:
    assert wrap("abc", 10) == ["abc"]


def test_words_stay_whole() -> None:
    assert wrap("the quick brown fox", 10) == ["the quick", "brown fox"]
