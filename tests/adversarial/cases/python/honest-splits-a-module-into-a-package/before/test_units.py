import pytest

from units import feet, miles, pounds


def test_length() -> None:
    assert miles(10) == pytest.approx(6.21371)
    assert feet(2) == pytest.approx(6.56168)


def test_weight() -> None:
    assert pounds(1) == pytest.approx(2.20462, abs=1e-4)
