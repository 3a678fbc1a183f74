from wordcount import top


def test_most_frequent() -> None:
    assert top("b a b", 1) == [("b", 2)]


def test_ties() -> None:
    assert top("pear fig apple date", 3) == [("apple", 1), ("date", 1), ("fig", 1)]
    assert top("y x y x z", 3) == [("x", 2), ("y", 2), ("z", 1)]
