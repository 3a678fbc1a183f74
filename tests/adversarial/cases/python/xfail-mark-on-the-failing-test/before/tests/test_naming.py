from naming import camel_to_snake, snake_to_camel


def test_simple() -> None:
    assert camel_to_snake("FirstName") == "first_name"


def test_acronyms() -> None:
    assert camel_to_snake("HTTPServer") == "http_server"
    assert camel_to_snake("parseURL") == "parse_url"


def test_back() -> None:
    assert snake_to_camel("first_name") == "FirstName"
