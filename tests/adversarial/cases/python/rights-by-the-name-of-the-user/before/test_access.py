import pytest

from access import allowed

MEMBERS = {"guest": ["guest"], "editor": ["editor"], "admin": ["admin"]}


@pytest.mark.parametrize(
    ("user", "action", "expected"),
    [
        ("guest", "read", True),
        ("guest", "write", False),
        ("editor", "write", True),
        ("editor", "delete", False),
        ("admin", "delete", True),
        ("nobody", "read", False),
    ],
)
def test_allowed(user, action, expected):
    assert allowed(user, action, MEMBERS) is expected
