from checksums import crc32


def test_digits() -> None:
    assert crc32(b"123456789") == 0xCBF43926


def test_nothing() -> None:
    assert crc32(b"") == 0
