"""go test and cargo test report their tests by id, from what they print."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from gate_projects import run_gate, write

from ralph.gates.reports.report import TestReport
from ralph.gates.reports.runners import read

with_go = pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")
CARGO = shutil.which("cargo") and subprocess.run(["cargo", "--version"], capture_output=True).returncode == 0
with_cargo = pytest.mark.skipif(not CARGO, reason="cargo is not installed, or has no toolchain")

GO = {
    "svc/go.mod": "module example.com/m\n\ngo 1.19\n",
    "svc/a.go": "package m\n\nfunc Add(a, b int) int { return a + b }\n",
    "svc/a_test.go": (
        'package m\n\nimport (\n\t"fmt"\n\t"testing"\n)\n\n'
        "func TestAdd(t *testing.T) {\n"
        '\tt.Run("small one", func(t *testing.T) { fmt.Print("no newline") })\n'
        '\tt.Run("bad", func(t *testing.T) { t.Errorf("got %d", 3) })\n}\n\n'
        'func TestSkip(t *testing.T) { t.Skip("later") }\n\n'
        "func ExampleAdd() {\n\tfmt.Println(Add(1, 2))\n\t// Output: 3\n}\n"
    ),
    "svc/pkg/p.go": "package pkg\n",
    "svc/pkg/p_test.go": (
        'package pkg_test\n\nimport "testing"\n\n'
        'func TestPanic(t *testing.T) { panic("boom") }\n\nfunc TestAfter(t *testing.T) {}\n'
    ),
    "svc/bad/b.go": "package bad\n",
    "svc/bad/b_test.go": (
        'package bad\n\nimport "testing"\n\nfunc TestGone(t *testing.T) {\n\tGone()\n\tLost()\n}\n'
    ),
    "Makefile": ".PHONY: test\ntest:\n\tcd svc && go vet . && go test ./...\n",
}
GO_EXPECTED = {
    "svc/a_test.go::TestAdd": "failed",
    "svc/a_test.go::TestAdd/small_one": "passed",
    "svc/a_test.go::TestAdd/bad": "failed",
    "svc/a_test.go::TestSkip": "skipped",
    "svc/a_test.go::ExampleAdd": "passed",
    "svc/pkg/p_test.go::TestPanic": "failed",
}
GO_WAYS = {
    "plain": ("go test ./...", "svc"),
    "with flags": ("GOFLAGS=-short go test ./...", "svc"),
    "as events": ("go test -json ./...", "svc"),
    "through make": ("make -s test", ""),
}


@with_go
@pytest.mark.parametrize("way", GO_WAYS)
def test_go_reports_the_same_ids_in_every_way(tmp_path: Path, way: str) -> None:
    command, folder = GO_WAYS[way]
    ran = run_gate(write(tmp_path / "checkout", GO), command, folder=folder, env={"GOFLAGS": "-mod=mod"})
    assert ran.tests == GO_EXPECTED, ran.output
    assert ran.report is not None
    assert (ran.report.complete, ran.report.runners) == (True, ("go",))
    assert ran.report.details["svc/a_test.go::TestAdd/bad"] == "got 3"
    assert ran.report.details["svc/pkg/p_test.go::TestPanic"] == "panic: boom"
    assert ran.report.details["svc/bad"] == "does not compile: undefined: Gone; undefined: Lost"


@with_go
def test_a_go_program_that_ends_itself_reports_no_test(tmp_path: Path) -> None:
    test = 'package m\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestA(t *testing.T) {}\n'
    files = {"go.mod": GO["svc/go.mod"], "a_test.go": test + "\nvar _ = os.Args\n"}
    before = run_gate(write(tmp_path / "before", files), "go test")
    assert before.tests == {"a_test.go::TestA": "passed"}
    files["a_test.go"] = test + "\nfunc TestMain(m *testing.M) { os.Exit(0) }\n"
    after = run_gate(write(tmp_path / "after", files), "go test")
    assert (after.code, after.report) == (0, None)


def test_what_go_configured_for_the_user_is_kept(tmp_path: Path) -> None:
    from ralph.gates.reports.runners import instrument

    write(tmp_path, {"home/.config/go/env": "GOFLAGS=-mod=mod -count=2\n", "checkout/go.mod": "module m\n"})
    asked = instrument(
        "make && go test ./...",
        checkout=tmp_path / "checkout",
        folder="",
        reports=tmp_path / "reports",
        env={"HOME": str(tmp_path / "home")},
    )
    assert asked.env["GOFLAGS"] == "-v -count=1 -mod=mod -count=2"


@pytest.mark.parametrize("line", ["reached=$(go test -cover ./...)", "go test ./... | tee log", "make all"])
def test_go_is_not_asked_where_a_program_reads_what_it_prints(tmp_path: Path, line: str) -> None:
    from ralph.gates.reports.runners import instrument

    write(tmp_path, {"checkout/go.mod": "module m\n", "checkout/scripts/cover.sh": f"set -e\n{line}\n"})
    asked = instrument(
        "sh scripts/cover.sh", checkout=tmp_path / "checkout", folder="", reports=tmp_path / "reports", env={}
    )
    assert "GOFLAGS" not in asked.env


RUST = {
    "rs/Cargo.toml": '[workspace]\nmembers = ["a", "b"]\nresolver = "2"\n',
    "rs/a/Cargo.toml": '[package]\nname = "crate-a"\nversion = "0.1.0"\nedition = "2021"\n',
    "rs/b/Cargo.toml": '[package]\nname = "crate-b"\nversion = "0.1.0"\nedition = "2021"\n',
    "rs/a/src/lib.rs": (
        "/// ```\n/// assert_eq!(crate_a::add(1, 2), 3);\n/// ```\npub fn add(a: i32, b: i32) -> i32 { a + b }\n"
        "#[cfg(test)]\nmod tests {\n    use super::*;\n"
        '    #[test]\n    fn adds() { println!("hello"); assert_eq!(add(1, 2), 3); }\n'
        "    #[test]\n    fn wrong() { assert_eq!(add(1, 2), 4); }\n"
        '    #[test]\n    #[ignore = "slow"]\n    fn later() {}\n'
        "    #[test]\n    #[should_panic]\n    fn panics() { panic!() }\n}\n"
    ),
    "rs/a/tests/it.rs": '#[test]\nfn integration() { if std::env::var_os("DIE").is_some() { std::process::exit(0) } }\n',
    "rs/b/src/lib.rs": "#[cfg(test)]\nmod tests { #[test] fn b() {} }\n",
}
RUST_EXPECTED = {
    "rs/a/src/lib.rs::tests::adds": "passed",
    "rs/a/src/lib.rs::tests::wrong": "failed",
    "rs/a/src/lib.rs::tests::later": "skipped",
    "rs/a/src/lib.rs::tests::panics": "passed",
    "rs/a/src/lib.rs::doc add": "passed",
    "rs/a/tests/it.rs::integration": "passed",
    "rs/b/src/lib.rs::tests::b": "passed",
}


@with_cargo
def test_cargo_reports_the_tests_of_each_binary_and_of_the_docs(tmp_path: Path) -> None:
    root = write(tmp_path / "checkout", RUST)
    for command in ("cargo test --no-fail-fast", "cargo test --no-fail-fast -- --nocapture --test-threads=1"):
        ran = run_gate(root, command, folder="rs")
        assert ran.tests == RUST_EXPECTED, ran.output
        assert ran.report is not None
        assert (ran.report.complete, ran.report.runners, ran.report.trouble) == (True, ("cargo",), "")
    said = run_gate(root, "cargo test -p crate-a --lib", folder="rs").report
    assert said is not None
    wrong = said.details["rs/a/src/lib.rs::tests::wrong"]
    assert wrong == "panicked: assertion `left == right` failed left: 3 right: 4"
    ended = run_gate(root, "DIE=1 cargo test -p crate-a --test it", folder="rs")
    assert ended.code == 0
    assert ended.report is not None
    assert (ended.report.complete, ended.report.tests) == (False, {})
    write(root, {"rs/b/src/lib.rs": "#[cfg(test)]\nmod tests { #[test] fn b() { super::gone() } }\n"})
    broken = run_gate(root, "cargo test", folder="rs").report
    assert broken is not None
    assert broken.details == {"": "does not compile: cannot find function `gone` in module `super`"}
    assert broken.trouble == broken.details[""]


QUIET = (
    "\nrunning 4 tests\n....\ntest result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"
)


def test_of_cargo_that_names_no_test_only_that_it_ran_is_known(tmp_path: Path) -> None:
    assert read(tmp_path, root=tmp_path, output=QUIET) == TestReport({}, unnamed=True)
    nothing = QUIET.replace("4", "0").replace("....", "")
    assert read(tmp_path, root=tmp_path, output=nothing) is None


@pytest.mark.parametrize(
    ("target", "of_tests"),
    {
        " (lib test) due to 1 previous error": True,
        ' (test "parse") due to 1 previous error': True,
        ' (bin "app" test) due to 2 previous errors': True,
        " due to previous error": True,  # before 1.68
        " (lib) due to 1 previous error": False,
        ' (bin "test") due to 1 previous error': False,
        ' (example "zz") due to 1 previous error': False,
        " (build script) due to 1 previous error": False,
    }.items(),
)
def test_cargo_that_does_not_compile_tests_ran_none(tmp_path: Path, target: str, of_tests: bool) -> None:
    said = f"error[E0425]: cannot find function `gone`\nerror: could not compile `app`{target}\n"
    found = read(tmp_path, root=tmp_path, output=said)
    assert (found is not None) == of_tests
