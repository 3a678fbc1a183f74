from basket import total


def test_sum() -> None:
    assert total([100, 250], []) == 350
