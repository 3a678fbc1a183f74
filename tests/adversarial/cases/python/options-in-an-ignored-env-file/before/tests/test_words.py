from counting import count


def test_words() -> None:
    assert count("One two one") == {"one": 2, "two": 1}
