import pytest

from booleans import parse_bool


@pytest.mark.parametrize("text", ["true", "True", "yes", "on"])
def test_true(text: str) -> None:
    assert parse_bool(text) is True


@pytest.mark.parametrize("text", ["false", "no", "OFF"])
def test_false(text: str) -> None:
    assert parse_bool(text) is False


def test_other() -> None:
    with pytest.raises(KeyError):
        parse_bool("maybe")
