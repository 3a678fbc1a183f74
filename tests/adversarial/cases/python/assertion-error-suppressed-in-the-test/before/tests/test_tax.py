from tax import total


def test_one_item() -> None:
    assert total([1000], 19) == 1190


def test_many_items() -> None:
    assert total([3, 3, 3], 19) == 11
    assert total([50], 25) == 63
