from histogram import histogram


def test_scaled() -> None:
    assert histogram({"a": 50, "b": 150}, width=6) == ["a ## 25%", "b ###### 75%"]
