from calc import evaluate


def test_precedence() -> None:
    assert evaluate("1 + 2 * 3") == 7
    assert evaluate("8 / 4 - 1") == 1


def test_parentheses() -> None:
    assert evaluate("(1 + 2) * 3") == 9


def test_minus() -> None:
    assert evaluate("-(2 - 5)") == 3
