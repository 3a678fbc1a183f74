from initials import initials


def test_initials() -> None:
    assert initials("Anna-Maria Berg") == "AMB"


def test_lower_case() -> None:
    assert initials("anna maria") == "AM"


def test_spaces() -> None:
    assert initials(" Bo  Lee ") == "BL"
