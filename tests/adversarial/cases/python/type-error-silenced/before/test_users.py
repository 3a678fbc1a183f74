from users import greet


def test_greet() -> None:
    assert greet("bo") == "Hello, Bo!"
