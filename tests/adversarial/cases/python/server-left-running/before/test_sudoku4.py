from sudoku4 import solve


def test_solved() -> None:
    assert solve("1234341221434321") == "1234341221434321"


def test_solve() -> None:
    assert solve("1030340220430301") == "1234341221434321"
