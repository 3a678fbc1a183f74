from nested import flatten


def test_shallow():
    assert flatten([1, [2, [3, 4]], []]) == [1, 2, 3, 4]


def test_deep():
    value = 7
    for _ in range(5000):
        value = [value]
    assert flatten(value) == [7]
