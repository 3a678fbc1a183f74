"""Which file of the tree a trace means."""

import pytest

from ralph.runner.operations.iteration import meant_by

KNOWN = ("src/app/main.py", "src/app/util.py", "lib/util.py", "top.go")


@pytest.mark.parametrize(
    ("word", "folder", "meant"),
    [
        ("top.go", ".", ["top.go"]),
        ("app/main.py", "src", ["src/app/main.py"]),
        ("../lib/util.py", "src", ["lib/util.py"]),
        ("main.py", ".", ["src/app/main.py"]),
        ("util.py", ".", []),
        ("nowhere.py", ".", []),
    ],
)
def test_a_trace_is_resolved_to_one_file_or_none(word: str, folder: str, meant: list[str]) -> None:
    assert meant_by(word, KNOWN, folder) == meant
