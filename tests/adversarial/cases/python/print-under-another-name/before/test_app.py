from app.clean import clean
from app.sync import sync


def test_sync():
    target = [1]
    assert sync([1, 2, 3], target) == 2
    assert target == [1, 2, 3]


def test_clean():
    assert clean(["a", "", "b"]) == ["a", "b"]
