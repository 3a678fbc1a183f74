"""node --test, jest and vitest report their tests by id, however the gate reaches them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from gate_projects import clean_environment, run, run_gate, write
from node_packages import node_modules

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

COLOUR = re.compile(r"\x1b\[[\d;]*m")  # vitest colours its output where CI is set
NODE_TESTS = {
    "test/a.test.js": (
        "const { test, describe, it } = require('node:test');\nconst assert = require('node:assert');\n"
        "describe('suite', () => {\n  it('one', () => {});\n  it('two', () => assert.equal(1, 2));\n"
        "  it.skip('three', () => {});\n  it.todo('four');\n});\n"
        "test('outer', async (t) => { await t.test('inner', () => {}); });\n"
        "test('name', () => { gone(); });\n"
    ),
    "test/plain.test.js": "require('node:assert')(true);\n",
}
NODE_EXPECTED = {
    "test/a.test.js::suite > one": "passed",
    "test/a.test.js::suite > two": "failed",
    "test/a.test.js::suite > three": "skipped",
    "test/a.test.js::suite > four": "skipped",
    "test/a.test.js::outer": "passed",
    "test/a.test.js::outer > inner": "passed",
    "test/a.test.js::name": "failed",
    "test/plain.test.js": "passed",
}
PACKAGE = """{"scripts": {
"test": "npm run unit", "unit": "node --test --test-reporter=dot", "other": "node --test --test-reporter-destination=x"}}
"""
NODE_WAYS = {
    "plain": "node --test",
    "with options": "NODE_OPTIONS='--no-warnings --max-old-space-size=500' node --test",
    "with a reporter": "node --test --test-reporter=spec",
    "with a reporter and its destination": "node --test --test-reporter spec --test-reporter-destination stdout",
    "through npm": "npm test --silent",
    "through make": "make -s test",
    "through a program": "node run.js",
}
RUN_JS = """const { spawnSync } = require('node:child_process');
const options = ['--test', '--test-reporter=tap'];
process.exit(spawnSync(process.execPath, options, { stdio: 'inherit' }).status);
"""


@pytest.mark.parametrize("way", NODE_WAYS)
def test_node_reports_the_same_ids_in_every_way(tmp_path: Path, way: str) -> None:
    files = {
        **NODE_TESTS,
        "run.js": RUN_JS,
        "package.json": PACKAGE,
        "Makefile": ".PHONY: test\ntest:\n\tnode --test\n",
    }
    ran = run_gate(write(tmp_path / "checkout", files), NODE_WAYS[way], env={"NODE_OPTIONS": "--no-warnings"})
    assert ran.tests == NODE_EXPECTED, ran.output
    assert ran.report is not None
    assert (ran.report.complete, ran.report.runners) == (True, ("node",))
    assert ran.report.details["test/a.test.js::name"] == "ReferenceError: gone is not defined"
    assert ran.report.details["test/a.test.js::suite > two"].startswith("AssertionError")


@pytest.mark.parametrize("command", ["node --test", "node test/a.test.js", "node --test --test-reporter=dot"])
def test_what_a_person_sees_of_node_stays_the_same(tmp_path: Path, command: str) -> None:
    root = write(tmp_path / "checkout", NODE_TESTS)
    plain = run(command, root, clean_environment())
    asked = run_gate(root, command)
    times = re.compile(r"(duration_ms:?) [\d.]+|\([\d.]+ms\)")
    assert times.sub("", asked.output) == times.sub("", plain.stdout)
    assert asked.code == plain.returncode


def test_a_file_that_node_cannot_load_is_named_with_its_reason(tmp_path: Path) -> None:
    root = write(
        tmp_path / "checkout",
        {"a.test.js": "require('./gone');\n", "b.test.mjs": "import { x } from './c.mjs';\n", "c.mjs": ""},
    )
    ran = run_gate(root, "node --test")
    assert ran.report is not None
    assert ran.tests == {}
    assert ran.report.details["a.test.js"].startswith("Error: Cannot find module './gone'")
    assert "does not provide an export named 'x'" in ran.report.details["b.test.mjs"]


NODE_EXITS = {
    "on import": "process.exit(0);\n",
    "in a test": "require('node:test').test('x', () => process.exit(0));\n",
}


@pytest.mark.parametrize("case", NODE_EXITS)
def test_a_file_that_ends_itself_is_reported_by_node(tmp_path: Path, case: str) -> None:
    later = "require('node:test').test('later', () => {});\n"
    root = write(tmp_path / "checkout", {"a.test.js": NODE_EXITS[case] + later, "b.test.js": later})
    ran = run_gate(root, "node --test")
    assert ran.report is not None
    passed = [name for name, outcome in ran.tests.items() if outcome == "passed"]
    assert passed == ["b.test.js::later"]
    assert ran.report.details["a.test.js"] == "ended itself by process.exit(0)"
    alone = run_gate(root, "node a.test.js")
    assert alone.report is None or not alone.report.complete


NEVER_ASKED = {
    "after an await": "(async () => {\n  await new Promise(() => {});\n  assert.equal(1, 2);\n})();\n",
    "in a callback": "const later = (done) => {};\nlater(() => {\n  assert.equal(1, 2);\n});\n",
}


@pytest.mark.parametrize("case", NEVER_ASKED)
def test_a_script_that_never_came_to_its_assertions_is_reported(tmp_path: Path, case: str) -> None:
    text = "const assert = require('node:assert');\n" + NEVER_ASKED[case]
    ran = run_gate(write(tmp_path / "checkout", {"check.js": text}), "node check.js")
    assert list(ran.tests.values()) == ["failed"], ran.output


def test_a_script_whose_assertions_need_not_run_is_not_reported(tmp_path: Path) -> None:
    text = (
        "const assert = require('node:assert');\n"
        "async function main() {\n  await new Promise((done) => setTimeout(done, 1));\n"
        "  if (process.platform === 'none') { assert.ok(false); }\n"
        "  try { await Promise.reject(new Error('a')); assert.fail(); } catch (error) { assert.equal(error.message, 'a'); }\n}\n"
        "main().catch((error) => { assert.equal(error, 1); process.exit(1); });\n"
        "process.on('exit', () => assert.ok(true));\n"
        "switch (1) { case 1: assert.ok(1); break; default: assert.ok(0); }\n"
    )
    ran = run_gate(write(tmp_path / "checkout", {"check.js": text}), "node check.js")
    assert ran.report is None, ran.output


def test_files_of_node_see_the_users_environment(tmp_path: Path) -> None:
    check = (
        "const { test } = require('node:test');\nconst assert = require('node:assert');\n"
        "test('a', () => {\n  assert.equal(process.env.NODE_OPTIONS, '--no-warnings');\n"
        "  assert.deepEqual(Object.keys(process.env).filter((name) => name.startsWith('RALPH_')), []);\n});\n"
    )
    root = write(tmp_path / "checkout", {"a.test.js": check})
    for command, env in (
        ("node --test", {"NODE_OPTIONS": "--no-warnings"}),
        ("NODE_OPTIONS=--no-warnings node --test", {}),
    ):
        ran = run_gate(root, command, env=env)
        assert ran.tests == {"a.test.js::a": "passed"}, ran.output
        assert ran.report is not None
        assert ran.report.complete


SUITE = (
    "describe('suite', () => {\n  it('one', () => {});\n  it('two', () => expect(1).toBe(2));\n"
    "  it.skip('three', () => {});\n  it.todo('four');\n  it('name', () => gone());\n"
    "  it.each([1, 2])('row %i', () => {});\n});\n"
)
PACKAGED = {
    "package.json": '{"scripts": {"jest": "jest --verbose", "vitest": "vitest run"}}',
    "src/a.test.js": SUITE,
    "src/b.test.js": "require('./gone');\ntest('b', () => {});\n",
    "vitest.config.mjs": "export default { test: { globals: true, cache: false } };\n",
    "jest.config.js": "module.exports = { reporters: ['default', './their_reporter.js'], cache: false };\n",
    "their_reporter.js": "module.exports = class { onRunComplete() { console.log('their reporter'); } };\n",
}
PACKAGED_EXPECTED = {
    "src/a.test.js::suite > one": "passed",
    "src/a.test.js::suite > two": "failed",
    "src/a.test.js::suite > three": "skipped",
    "src/a.test.js::suite > four": "skipped",
    "src/a.test.js::suite > name": "failed",
    "src/a.test.js::suite > row 1": "passed",
    "src/a.test.js::suite > row 2": "passed",
}
PACKAGED_WAYS = {
    "jest": "npx jest",
    "jest through npm": "npm run -s jest",
    "jest, one process": "node node_modules/jest/bin/jest.js -i",
    "jest with options": "NODE_OPTIONS=--experimental-vm-modules npx jest",
    "vitest": "npx vitest run",
    "vitest through npm": "npm run -s vitest",
    "vitest with a reporter": "npx vitest run --reporter=dot",
    "vitest in threads": "npx vitest run --pool=threads",
}


def packaged(tmp_path: Path, files: dict[str, str]) -> Path:
    root = write(tmp_path / "checkout", files)
    (root / "node_modules").symlink_to(node_modules())
    return root


@pytest.mark.parametrize("way", PACKAGED_WAYS)
def test_jest_and_vitest_report_the_same_ids_in_every_way(tmp_path: Path, way: str) -> None:
    ran = run_gate(packaged(tmp_path, PACKAGED), PACKAGED_WAYS[way])
    assert ran.tests == PACKAGED_EXPECTED, ran.output
    assert ran.report is not None
    runner = re.split(r"\W", way)[0]
    assert (ran.report.complete, ran.report.runners) == (True, (runner,)), ran.output
    assert ran.report.details["src/a.test.js::suite > name"].startswith("ReferenceError: gone is not defined")
    assert ran.report.details["src/b.test.js"].startswith("Error: Cannot find module './gone'")
    assert ("their reporter" in ran.output) == (runner == "jest")


@pytest.mark.parametrize("command", ["npx jest", "npx vitest run"])
def test_what_a_person_sees_of_jest_and_vitest_stays_the_same(tmp_path: Path, command: str) -> None:
    root = packaged(tmp_path, PACKAGED)
    plain = run(command, root, clean_environment())
    asked = run_gate(root, command)
    varies = re.compile(r"\(?\b[\d.:]+ ?m?s\b\)?|Start at .*|Duration .*")
    shown, expected = (varies.sub("", COLOUR.sub("", text)) for text in (asked.output, plain.stdout))
    assert sorted(shown.split()) == sorted(expected.split())
    assert asked.code == plain.returncode


@pytest.mark.parametrize("command", ["npx jest -i", "npx vitest run"])
def test_an_early_exit_of_jest_or_vitest_does_not_pass(tmp_path: Path, command: str) -> None:
    files = {
        "package.json": "{}",
        "a.test.js": "test('a', () => { process.exit(0); });\ntest('b', () => {});\n",
    }
    files["vitest.config.mjs"] = PACKAGED["vitest.config.mjs"]
    ran = run_gate(packaged(tmp_path, files), command)
    assert ran.report is not None, ran.output
    assert not ran.report.complete or ran.tests["a.test.js::a"] == "failed", ran.output
