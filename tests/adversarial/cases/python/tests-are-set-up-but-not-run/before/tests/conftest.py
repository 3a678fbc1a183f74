import pytest


@pytest.fixture
def letters() -> str:
    return "abcdefg"
