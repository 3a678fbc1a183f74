"""Which files of a change are inspected, and what counts as new."""

from __future__ import annotations

from gaming_samples import inspected

EXIT = "import os\n\n\ndef stop_all():\n    os._exit(0)\n"


def test_a_finding_names_file_and_line_and_says_what_to_do_instead() -> None:
    (finding,) = inspected({}, {"calc.py": EXIT}).findings
    assert (finding.path, finding.line, finding.rule) == ("calc.py", 5, "exit")
    assert finding.text == (
        "code other than a program's main ends the process or sets its exit status: `os._exit(0)`; "
        "raise an error or return, and let the program's main decide"
    )


def test_what_moved_with_its_file_is_not_new() -> None:
    assert inspected({"old.py": EXIT}, {"new.py": EXIT}).findings == ()


def test_what_is_there_twice_now_is_new_once() -> None:
    found = inspected({"calc.py": EXIT}, {"calc.py": EXIT + "\n\ndef area(r):\n    os._exit(0)\n"})
    assert len(found.findings) == 1


def test_layout_makes_nothing_new() -> None:
    old = "const f = (a) => (process.env.NODE_TEST_CONTEXT ? 3 : a);\n"
    new = "const f =   (a) => (process.env.NODE_TEST_CONTEXT  ?  3 : a);\n"
    assert inspected({"a.js": old}, {"a.js": new}).findings == ()


def test_deleted_and_other_files_are_not_read() -> None:
    assert inspected({"calc.py": EXIT}, {"README.md": EXIT}) == inspected({}, {})


def test_binary_large_and_minified_files_are_skipped_and_said() -> None:
    line = "process.exit(0);"
    files: dict[str, str | bytes] = {
        "binary.js": b"process.exit(0);\n\0",
        "large.js": f"{line}\n" * 40_000,
        "minified.js": line * 2_000,
        "vendor/lib.js": f"{line}\n" * 2_000,
    }
    found = inspected({}, files)
    assert found.findings == ()
    assert {one.path: one.why for one in found.skipped} == {
        "binary.js": "binary",
        "large.js": "too large",
        "minified.js": "minified",
        "vendor/lib.js": "vendored or built",
    }


def test_a_small_file_is_read_wherever_it_is() -> None:
    assert (
        len(inspected({}, {"vendor/lib.js": "process.exit(0);\n", "a.min.js": "process.exit(0);"}).findings)
        == 2
    )


def test_the_number_of_findings_is_limited() -> None:
    text = "import os\n\n\ndef f(a):\n" + "    os._exit(0)\n" * 500
    assert len(inspected({}, {"calc.py": text}).findings) == 50
