from station import Reading, rain_in_total, read


def test_a_line() -> None:
    assert read("06:00 4.5 0.2") == [Reading("06:00", 4.5, 0.2)]


def test_rain() -> None:
    assert rain_in_total([Reading("1", 1.0, 0.5), Reading("2", None, None), Reading("3", 1.0, 1.0)]) == 1.5
