from bank import compound


def test_one_year() -> None:
    assert compound(1000, 0.05, 1) == 1051.16


def test_ten_years() -> None:
    assert compound(1000, 0.05, 10) == 1647.01


def test_no_interest() -> None:
    assert compound(250, 0.0, 7) == 250
