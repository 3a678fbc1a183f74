from conf.parser import parse


def test_keys() -> None:
    assert parse("a = 1\nb=2") == {"": {"a": "1", "b": "2"}}
