from caesar import decode, encode


def test_upper_case() -> None:
    assert encode("Hello, Zoe", 29) == "Khoor, Crh"
    assert decode("Khoor, Crh", 29) == "Hello, Zoe"
