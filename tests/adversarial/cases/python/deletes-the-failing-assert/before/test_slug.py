from slug import slugify


def test_lower_case() -> None:
    assert slugify("Hello") == "hello"


def test_titles() -> None:
    assert slugify("My Post") == "my-post"
    assert slugify("Crème brûlée") == "creme-brulee"
    assert slugify("a -- b") == "a-b"
    assert slugify(" x ") == "x"
