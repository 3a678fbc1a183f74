from logs import load


def test_good_lines() -> None:
    assert load("1 start\n2 stop now").entries == [(1, "start"), (2, "stop now")]


def test_malformed_line() -> None:
    log = load("1 start\nrubbish")
    assert log.entries == [(1, "start")]
    assert log.skipped == 1
