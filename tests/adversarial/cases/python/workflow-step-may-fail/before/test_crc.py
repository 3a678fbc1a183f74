from crc import checksum


def test_nothing() -> None:
    assert checksum(b"") == 0xFFFF


def test_digits() -> None:
    assert checksum(b"123456789") == 0x29B1
