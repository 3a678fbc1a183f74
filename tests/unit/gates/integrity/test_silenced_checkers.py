"""A checker that was red, and comments that tell it to look away."""

from __future__ import annotations

from ralph.gates.integrity.suppressions import new_suppressions, silenced_checkers

ADDED = new_suppressions(b"def f(a=[]):\n", b"def f(a=[]):  # noqa: B006\n", "cart.py")


def test_a_comment_that_silences_the_checker_that_was_red_is_a_finding() -> None:
    (found,) = silenced_checkers(["lint ruff check ."], ADDED)
    assert (found.path, found.line, found.rule) == ("cart.py", 1, "finding-silenced")
    assert silenced_checkers(["check npm run --silent lint"], ADDED)
    assert silenced_checkers(["types mypy src"], ADDED)


def test_comments_beside_other_gates_are_only_listed() -> None:
    assert ADDED
    assert silenced_checkers([], ADDED) == []
    assert silenced_checkers(["tests python -m pytest -q"], ADDED) == []
    assert silenced_checkers(["lint ruff check ."], []) == []


def test_comments_for_a_projects_own_checker_are_known() -> None:
    assert new_suppressions(b"", b"// lint-disable: legacy code\n", "a.js") == [
        "a.js:1: lint-disable: legacy code"
    ]


def test_what_is_left_out_of_the_coverage_is_a_finding_where_coverage_is_the_gate() -> None:
    for text in (
        "/* node:coverage disable */",
        "/* c8 ignore next */",
        "x = 1  # pragma: no cover",
        "#[coverage(off)]",
    ):
        left_out = new_suppressions(b"", f"{text}\n".encode(), "a.js")
        assert silenced_checkers(["coverage node scripts/coverage.js"], left_out)
        assert silenced_checkers(["tests pytest --cov=app --cov-fail-under=90"], left_out)
        assert silenced_checkers(["tests python -m unittest discover"], left_out) == []
        assert silenced_checkers(["lint ruff check ."], left_out) == []
    assert silenced_checkers(["coverage node scripts/coverage.js"], ADDED) == []


def test_a_compiler_that_refuses_warnings_is_a_checker() -> None:
    allowed = new_suppressions(b"", b"#![allow(unused_must_use)]\n", "src/lib.rs")
    assert silenced_checkers(['tests RUSTFLAGS="-D warnings" cargo test'], allowed)
    assert silenced_checkers(["tests cargo test"], allowed) == []
