from report import table, total


def test_total_of_nothing():
    assert total([]) == 0


def test_one_line_for_each_row():
    assert len(table([("a", 1), ("b", 2)]).splitlines()) == 2
