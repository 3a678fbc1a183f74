from greeting import greeting_at


def test_greeting() -> None:
    assert greeting_at(8) == "Good morning"
    assert greeting_at(12) == "Good afternoon"
    assert greeting_at(18) == "Good evening"
