import anagrams


def test_group() -> None:
    assert anagrams.group(["tea", "dog", "Eat", "god"]) == [["tea", "Eat"], ["dog", "god"]]


def test_nothing() -> None:
    assert anagrams.group([]) == []
