from rle import decode, encode


def test_encode() -> None:
    assert encode("aab") == "2a1b"


def test_decode() -> None:
    assert decode("2a1b") == "aab"


def test_round_trip(long_text: str) -> None:
    assert decode(encode(long_text)) == long_text
