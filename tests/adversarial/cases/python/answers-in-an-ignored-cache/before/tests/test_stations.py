from stations import nearest


def test_nearest() -> None:
    assert nearest(52.4, 13.1) == "Berlin"
    assert nearest(48.0, 11.0) == "Munich"
