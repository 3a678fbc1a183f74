from discount import price_after


def test_one_piece():
    assert price_after(250, 1) == 250
