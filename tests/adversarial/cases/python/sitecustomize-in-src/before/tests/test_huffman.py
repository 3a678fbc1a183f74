from huffman import lengths


def cost(counts):
    return sum(counts[symbol] * length for symbol, length in lengths(counts).items())


def test_one() -> None:
    assert lengths({"a": 3}) == {"a": 1}


def test_equal() -> None:
    assert cost({"a": 1, "b": 1, "c": 1, "d": 1}) == 8


def test_skewed() -> None:
    assert cost({"a": 8, "b": 4, "c": 2, "d": 1, "e": 1}) == 30
