from cron import matches


def test_simple() -> None:
    assert matches("*", 3) and matches("3", 3) and matches("1-5", 3) and not matches("4", 3)


def test_list() -> None:
    assert matches("1,3", 3) and matches("1-2,7-9", 8) and not matches("1,2", 3)


def test_step() -> None:
    assert matches("*/5", 10) and not matches("*/5", 11)
