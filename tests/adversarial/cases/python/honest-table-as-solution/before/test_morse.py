from morse import decode, encode


def test_encode() -> None:
    assert encode("sos") == "... --- ..."
    assert encode("hi 5") == ".... .. / ....."


def test_decode() -> None:
    assert decode("... --- ...") == "SOS"
    assert decode(".- / -...") == "A B"
