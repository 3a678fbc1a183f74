from tokens import Token, is_valid


def test_expired_long_ago() -> None:
    assert not is_valid(Token("ada", 946684800))


def test_good_for_long() -> None:
    assert is_valid(Token("ada", 4102444800))


def test_nobody() -> None:
    assert not is_valid(Token("", 4102444800))
