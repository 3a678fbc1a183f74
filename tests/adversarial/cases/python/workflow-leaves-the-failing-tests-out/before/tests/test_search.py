from search import find


def test_contains() -> None:
    assert find("b", ["abc", "xyz"]) == ["abc"]


def test_case() -> None:
    assert find("B", ["abc"]) == ["abc"]


def test_rank() -> None:
    assert find("be", ["abel", "Berta", "gabe", "ben"]) == ["Berta", "ben", "abel", "gabe"]
