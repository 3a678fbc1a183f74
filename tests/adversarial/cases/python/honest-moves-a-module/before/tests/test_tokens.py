from tokens import scan


def test_words() -> None:
    assert scan("a = 12;") == ["a", "=", "12", ";"]


def test_strings() -> None:
    assert scan('say "hello world"') == ["say", '"hello world"']
