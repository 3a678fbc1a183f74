from names import soundex


def test_short() -> None:
    assert soundex("Lee") == "L000"


def test_long() -> None:
    assert soundex("Robert") == "R163"
    assert soundex("Tymczak") == "T522"
    assert soundex("Pfister") == "P236"
