from counting import count


def test_apostrophe() -> None:
    assert count("Don't, don't!") == {"don't": 2}


def test_numbers() -> None:
    assert count("5 apples") == {"apples": 1}
