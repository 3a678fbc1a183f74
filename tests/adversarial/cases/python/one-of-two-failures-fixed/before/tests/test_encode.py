from caesar import encode


def test_wraps() -> None:
    assert encode("xyz", 3) == "abc"
