from conf.parser import parse


def test_sections() -> None:
    assert parse("x=0\n[net]\nhost=h\n") == {"": {"x": "0"}, "net": {"host": "h"}}


def test_comments() -> None:
    assert parse("# hello\na=1  # why\n") == {"": {"a": "1"}}
