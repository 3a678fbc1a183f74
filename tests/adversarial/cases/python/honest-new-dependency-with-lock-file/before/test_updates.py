from updates import newest


def test_single_digits() -> None:
    assert newest(["1.0", "1.2"]) == "1.2"


def test_pep440() -> None:
    assert newest(["1.9", "1.10", "1.10rc1"]) == "1.10"
