"""Information gaps: what is missing, and which files the trace points at."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph.core.failures.missing_context import MAX_FILES, MAX_NAMES, MissingContext, missing_context

OUTPUTS = Path(__file__).parents[3] / "fixtures" / "outputs"
ROOT = "/tmp/w1/proj"  # where the fixtures were recorded

EXPECTED = {
    "python-module": MissingContext("module", ("ledgerlib",), ("lib/shop.py", "main.py")),
    "python-import": MissingContext("name", ("close_shop",), ("lib/shop.py", "test_main.py")),
    "python-name": MissingContext("name", ("subtotal",), ("main.py",)),
    "python-attribute": MissingContext("name", ("json.loadz",), ("main.py",)),
    "python-file": MissingContext("file", ("conf/shop.ini",), ("main.py",)),
    "node-module": MissingContext("module", ("./ledger",), ("src/shop.js", "main.js")),
    "node-esm": MissingContext("module", ("ledgerlib",), ("main.mjs",)),
    "node-name": MissingContext("name", ("ledger",), ("main.js",)),
    "node-file": MissingContext("file", ("conf/shop.ini",), ("main.js",)),
    "jest-module": MissingContext("module", ("./ledger",), ("src/shop.js", "shop.test.js")),
    "tsc": MissingContext(
        "module", ("shoplib", "Token", "./ledger", "subtotal"), ("src/pay.ts", "src/shop.ts")
    ),
    "go-name": MissingContext("name", ("ledger", "os.Nothing"), ("shop/shop.go",)),
    "go-module": MissingContext(
        "module", ("ledgerlib/book", "example.org/ledger"), ("pay/pay.go", "shop/shop.go")
    ),
    "go-file": MissingContext("file", ("conf/shop.ini",), ("shop_test.go",)),
    "rust": MissingContext(
        "module",
        ("absent", "crate::ledger", "ledgerlib", "bank", "Token", "subtotal", "close_shop", "wallet"),
        ("src/lib.rs", "src/absent.rs", "src/absent/mod.rs", "Cargo.toml"),
    ),
    "java": MissingContext("module", ("org.ledger", "Ledger", "subtotal", "close"), ("src/Shop.java",)),
    "java-class": MissingContext("module", ("shop.Ledger",), ("Main.java",)),
    "java-classdef": MissingContext("module", ("Ledger",), ("Main.java",)),
    "gcc-header": MissingContext("file", ("ledger.h",), ("src/shop.c",)),
    "gcc-link": MissingContext("name", ("open_shop",), ("main.c",)),
    "gcc-name": MissingContext("name", ("subtotal", "ledger_t"), ("src/shop.c",)),
    "ruby-load": MissingContext("module", ("ledgerlib",), ("lib/shop.rb", "main.rb")),
    "ruby-name": MissingContext("name", ("Ledger",), ("main.rb",)),
    "ruby-local": MissingContext("name", ("subtotal",), ("main.rb",)),
    "php-class": MissingContext("name", ("Ledger",), ("main.php",)),
    "php-function": MissingContext("name", ("close_shop",), ("main.php",)),
    "php-file": MissingContext("file", ("lib/ledger.php",), ("main.php",)),
    "csharp": MissingContext("name", ("Ledger", "Token"), ("Shop.cs",)),
    "sh-command": MissingContext("command", ("ledgerctl",), ("test.sh",)),
    "bash-command": MissingContext("command", ("ledgerctl",), ("test.sh",)),
    "bash-file": MissingContext("file", ("conf/shop.ini", "./env.sh"), ("test.sh",)),
    "make-target": MissingContext("target", ("build/shop.o",), ()),
    "make-command": MissingContext("command", ("ledgerctl",), ("Makefile",)),
}


def recorded(name: str) -> str:
    return (OUTPUTS / f"{name}.txt").read_text()


def test_every_recorded_gap_is_expected() -> None:
    assert {path.stem for path in (OUTPUTS / "gaps").iterdir()} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_missing_and_where_is_read_from_the_real_output(name: str) -> None:
    assert missing_context(recorded(f"gaps/{name}"), ROOT) == EXPECTED[name]


# Words of versions and tools that could not be recorded here, as their documentation gives them.
@pytest.mark.parametrize(
    ("line", "kind", "name"),
    [
        ("shop.go:3:8: package book is not in std (/usr/local/go/src/book)", "module", "book"),
        (
            "shop.go:3:8: no required module provides package example.org/x; to add it:",
            "module",
            "example.org/x",
        ),
        ("error[E0433]: failed to resolve: use of undeclared crate or module `bank`", "module", "bank"),
        ("error[E0432]: unresolved import `crate::ledger`", "module", "crate::ledger"),
        ("error[E0425]: cannot find value `x` in this scope", "name", "x"),
        ("error[E0412]: cannot find type `Token` in this scope", "name", "Token"),
        ("error[E0463]: can't find crate for `core`", "module", "core"),
        (
            "Shop.cs(3,3): error CS0103: The name 'subtotal' does not exist in the current context",
            "name",
            "subtotal",
        ),
        (
            "Shop.cs(1,7): error CS0246: The type or namespace name 'Ledger' could not be found",
            "name",
            "Ledger",
        ),
        ("shop.c:1:10: fatal error: 'ledger.h' file not found", "file", "ledger.h"),
        ("shop.cc:1:2: error: use of undeclared identifier 'subtotal'", "name", "subtotal"),
        ("shop.cc:1:2: error: 'subtotal' was not declared in this scope", "name", "subtotal"),
        ("E       fixture 'ledger' not found", "name", "ledger"),
        ("/usr/bin/python3: No module named pytest", "module", "pytest"),
        ('npm error Missing script: "test"', "target", "test"),
        ("zsh: command not found: ledgerctl", "command", "ledgerctl"),
        ("make: *** No rule to make target `all'.  Stop.", "target", "all"),
    ],
)
def test_the_same_gap_in_the_words_of_another_tool(line: str, kind: str, name: str) -> None:
    gap = missing_context(line)
    assert gap is not None
    assert (gap.kind, gap.names) == (kind, (name,))


def test_a_wrong_value_is_no_gap() -> None:
    for tool in ("pytest", "jest", "go", "cargo", "mocha", "tap"):
        assert missing_context(recorded(f"{tool}/other")) is None
    assert missing_context("") is None


def test_an_import_error_without_a_name_is_still_a_gap() -> None:
    assert missing_context(
        "ImportError: attempted relative import with no known parent package"
    ) == MissingContext("module")


def test_without_a_root_paths_are_reduced_as_far_as_the_trace_tells() -> None:
    gap = missing_context(recorded("gaps/python-module"))
    assert gap is not None
    assert gap.files == ("lib/shop.py", "main.py")


def test_files_outside_of_the_root_and_of_packages_are_left_out() -> None:
    trace = (
        "Traceback (most recent call last):\n"
        '  File "/w/p/app.py", line 1, in <module>\n'
        '  File "/w/p/.venv/lib/python3.11/site-packages/dep/core.py", line 1, in f\n'
        '  File "/elsewhere/x.py", line 1, in g\n'
        "NameError: name 'x' is not defined"
    )
    assert missing_context(trace, "/w/p") == MissingContext("name", ("x",), ("app.py",))


def test_pytest_names_the_innermost_file_below_its_message() -> None:
    output = (
        "____ test_a ____\n\ntests/test_a.py:3: \n_ _ _ _\n\n    def f():\n>       g()\n"
        "E       NameError: name 'g' is not defined\n\nlib/a.py:2: NameError\n"
    )
    assert missing_context(output) == MissingContext("name", ("g",), ("lib/a.py", "tests/test_a.py"))


def test_names_and_files_are_capped_and_not_repeated() -> None:
    lines = [f"src/f{n % 30}.go:{n}:1: undefined: x{n % 30}" for n in range(500)]
    gap = missing_context("\n".join(lines))
    assert gap is not None
    assert gap.names == tuple(f"x{n}" for n in range(MAX_NAMES))
    assert gap.files == tuple(f"src/f{n}.go" for n in range(MAX_FILES))


def test_colours_hide_no_gap() -> None:
    gap = missing_context("a.c:1:1: \x1b[1merror: \x1b[0m‘\x1b[1mx\x1b[0m’ undeclared")
    assert gap is not None
    assert gap.names == ("x",)


@settings(deadline=None)
@given(
    st.text()
    | st.lists(st.sampled_from([": not found", "undefined: x", "'", "/a/b.py", "\n", "a.go:1: "])).map(
        "".join
    )
)
def test_any_text_has_a_gap_or_none(text: str) -> None:
    gap = missing_context(text, "/a")
    assert gap is None or (len(gap.names) <= MAX_NAMES and len(gap.files) <= MAX_FILES)


@pytest.mark.parametrize(
    "unit", ["a", "/a", "a.", "'", ": ", "open a", "cannot find a ", "name ", "‘", "\n", "x: "]
)
def test_pathological_output_is_searched_in_bounded_time(unit: str) -> None:
    missing_context(unit * (5_000_000 // len(unit)))
