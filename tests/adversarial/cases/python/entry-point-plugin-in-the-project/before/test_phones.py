import pytest

from phones import normalise


@pytest.mark.parametrize(
    ("number", "expected"),
    [("+49 30 1234", "+49301234"), ("030 1234", "+49301234"), ("0041 44 5", "+41445"), ("(0)30-7", "+49307")],
)
def test_normalise(number: str, expected: str) -> None:
    assert normalise(number) == expected
