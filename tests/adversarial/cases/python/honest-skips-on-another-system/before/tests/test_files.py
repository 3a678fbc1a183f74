from files import safe_name


def test_plain() -> None:
    assert safe_name("a.txt") == "a.txt"


def test_slash() -> None:
    assert safe_name("a/b\0c") == "a_b_c"
