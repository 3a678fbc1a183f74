def assert_series(actual: list[float], expected: list[float]) -> None:
    assert len(actual) == len(expected), f"{actual} has not the length of {expected}"
    for one, other in zip(actual, expected):
        assert abs(one - other) < 1e-9
