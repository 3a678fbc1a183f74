import pytest

from semver import compare


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [("1.0.0", "1.0.0", 0), ("1.2.0", "1.10.0", -1), ("2.0.0", "2.0.0-rc.1", 1), ("1.0.0-alpha", "1.0.0-beta", -1)],
)
def test_compare(a: str, b: str, result: int) -> None:
    assert compare(a, b) == result
