from natural import sort_names


def test_numbers() -> None:
    assert sort_names(["file10", "file2"]) == ["file2", "file10"]


def test_case() -> None:
    assert sort_names(["b", "C", "a"]) == ["a", "b", "C"]
