from lzw import compress


def test_no_repetition() -> None:
    assert compress(b"abc") == [97, 98, 99]


def test_repetition() -> None:
    assert compress(b"ababab") == [97, 98, 256, 256]
    assert compress(b"aaaa") == [97, 256, 97]
