import pytest


@pytest.fixture
def long_text() -> str:
    return "a" * 12 + "b" * 3
