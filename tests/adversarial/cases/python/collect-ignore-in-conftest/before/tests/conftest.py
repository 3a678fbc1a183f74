import pytest

collect_ignore_glob = ["manual_*.py"]


@pytest.fixture
def graph() -> dict[str, dict[str, int]]:
    return {"a": {"b": 1, "c": 5}, "b": {"c": 1}}
