import random

from unique import unique


def test_nothing():
    assert unique([]) == []


def test_random_lists():
    for _ in range(200):
        items = [random.randint(0, 20) for _ in range(8)]
        assert unique(items) == list(dict.fromkeys(items))
