"""Configuration and scripts that demand less are named; hostile files do no harm."""

from __future__ import annotations

import pytest

from ralph.gates.integrity.weakened_tests import MOST, bounded, compare

# --- configuration and scripts

CONFIGURATION = [
    (
        "pyproject.toml",
        "[tool.coverage.report]\nfail_under = 90\n",
        "[tool.coverage.report]\nfail_under = 60\n",
        "threshold lowered",
        "fail_under 90, now 60",
    ),
    (
        "pytest.ini",
        "[pytest]\naddopts = --cov-fail-under=85\n",
        "[pytest]\naddopts = -q\n",
        "threshold lowered",
        "cov-fail-under 85 is gone",
    ),
    (
        "jest.config.js",
        "coverageThreshold: { global: { branches: 80, lines: 90 } }",
        "coverageThreshold: { global: { branches: 80, lines: 10 } }",
        "threshold lowered",
        "lines 90, now 10",
    ),
    (
        "pom.xml",
        "<minimum>0.80</minimum>",
        "<minimum>0.10</minimum>",
        "threshold lowered",
        "minimum 0.8, now 0.1",
    ),
    (
        "pytest.ini",
        "[pytest]\n",
        "[pytest]\naddopts = --ignore=tests/slow\n",
        "tests left out",
        "addopts = --ignore=tests/slow",
    ),
    (
        "package.json",
        '{"scripts": {\n"test": "jest"}}',
        '{"scripts": {\n"test": "jest --passWithNoTests"}}',
        "tests left out",
        '"test": "jest --passWithNoTests"}}',
    ),
    (
        "Makefile",
        "test:\n\tpytest\n",
        "test:\n\tpytest tests || true\n",
        "tests left out",
        "pytest tests || true",
    ),
    ("pom.xml", "<a/>", "<a/>\n<skipTests>true</skipTests>", "tests left out", "<skipTests>true</skipTests>"),
    (
        "conftest.py",
        "import pytest\n",
        "import pytest\ncollect_ignore = ['tests/test_calc.py']\n",
        "tests left out",
        "collect_ignore = ['tests/test_calc.py']",
    ),
    (
        "tests/conftest.py",
        "",
        "def pytest_collection_modifyitems(items):\n    del items[:]\n",
        "tests left out",
        "def pytest_collection_modifyitems(items):",
    ),
]


@pytest.mark.parametrize(("path", "before", "after", "what", "detail"), CONFIGURATION)
def test_configuration_that_demands_less_is_named(
    path: str, before: str, after: str, what: str, detail: str
) -> None:
    assert [(w.path, w.what, w.detail) for w in compare({path: before}, {path: after})] == [
        (path, what, detail)
    ]


def test_configuration_that_demands_more_is_not_named() -> None:
    for path, before, after, _, _ in CONFIGURATION:
        if before and "conftest" not in path:
            assert compare({path: after}, {path: before}) == [], path


def test_configuration_that_moves_to_another_file_is_not_named() -> None:
    before = {"setup.cfg": "[tool:pytest]\ntestpaths = tests\n[coverage:report]\nfail_under = 90\n"}
    after = '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n[tool.coverage.report]\nfail_under = 90\n'
    assert compare(before, {"pyproject.toml": after}) == []
    lower = after.replace("90", "60").replace('["tests"]', '["tests/unit"]')
    assert [w.detail for w in compare(before, {"pyproject.toml": lower})] == [
        'testpaths = ["tests/unit"]',
        "fail_under 90 is gone",
    ]


def test_a_script_of_tests_that_is_gone_is_named() -> None:
    script = {"tests/run.bats": "@test 'a' {\n  true\n}\n"}
    assert [w.what for w in compare(script, {})] == ["file deleted"]
    assert [w.what for w in compare(script, {"tests/run.bats": ""})] == ["file emptied"]
    assert compare(script, {"tests/other.bats": script["tests/run.bats"]}) == []


def test_data_of_tests_is_no_test() -> None:
    assert (
        compare({"tests/data/a.json": "{}", "tests/__init__.py": "", "tests/helper.js": "export {}"}, {})
        == []
    )


# --- hostile files

DEEP = 60_000
HOSTILE = {
    "unparsable": ("tests/test_a.py", "def test_a(:\n    assert x\n"),
    "deeply nested": ("tests/test_a.py", "def test_a():\n    assert " + "-" * DEEP + "1\n"),
    "a long chain": ("tests/test_a.py", "def test_a():\n    assert a" + ".b" * DEEP + "\n"),
    "open brackets": ("a.test.js", "it('x', (" * (DEEP // 8)),
    "open comments": ("a.test.js", "/*" * DEEP),
    "open strings": ("a.test.js", "`${'" * DEEP),
    "many heads": ("a_test.go", "func TestA(t *testing.T) {\n" * (DEEP // 20)),
    "many annotations": ("ATest.java", "@Test\n" * (DEEP // 3)),
    "many attributes": ("a.rs", "#[test]" * (DEEP // 3)),
    "many cases": ("spec/a_spec.rb", "it 'x' do\n" * (DEEP // 6)),
    "control characters": ("a.test.js", "it.skip('\x1b[2J\x00\u202e', () => { expect(1 + a).toBe(2); });"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_are_compared_without_harm(what: str) -> None:
    path, text = HOSTILE[what]
    for w in bounded(
        [*compare({path: text}, {}), *compare({}, {path: text}), *compare({path: text}, {path: ""})]
    ):
        assert w.text.isprintable()


def test_python_of_another_version_is_read_line_by_line() -> None:
    before = "def test_a():\n    print 'old'\n    assert add(1, 2) == 3\n    assert add(1, 1) == 2\n"
    path = "tests/test_a.py"
    assert [
        w.what for w in compare({path: before}, {path: before.replace("    assert add(1, 1) == 2\n", "")})
    ] == ["assertions removed"]
    skipped = before.replace("def", "@unittest.skip('x')\ndef")
    assert [w.what for w in compare({path: before}, {path: skipped})] == ["test skipped"]


def test_the_findings_are_ordered_and_bounded() -> None:
    many = {f"tests/test_{n:03}.py": "def test_a():\n    assert f()\n" for n in range(MOST + 10)}
    many = {path: text.replace("f()", f"f({n})") for n, (path, text) in enumerate(many.items())}
    cut = bounded(compare(many, {}))
    assert len(cut) == MOST and list(cut[:-1]) == sorted(cut[:-1])
    assert cut[-1].text == "and 11 more"
    assert cut == bounded(compare(dict(reversed(many.items())), {}))
