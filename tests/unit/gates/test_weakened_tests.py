"""Existing tests that a change weakened are named, in every language that is read; honest changes are not."""

from __future__ import annotations

import textwrap

import pytest

from ralph.gates.weakening import MOST, Weakening, bounded, compare

PY = """
import pytest
from calc import add, div

class TestAdd:
    def test_small(self):
        assert add(1, 2) == 3
        assert add(0, 0) == 0

    def test_large(self):
        assert add(10**9, 1) == 10**9 + 1

@pytest.mark.parametrize("a, b", [(4, 2), (9, 3), (6, 2)])
def test_div(a, b):
    result = div(a, b)
    assert result * b == a

def test_div_by_zero():
    with pytest.raises(ZeroDivisionError):
        div(1, 0)
"""
UNITTEST = """
import unittest
from calc import add

class Add(unittest.TestCase):
    def setUp(self):
        self.zero = 0

    def test_small(self):
        self.assertEqual(add(1, 2), 3)
        self.assertEqual(add(self.zero, 0), 0)
"""
JS = """
import { add, div } from "../calc";

describe("calc", () => {
  describe("add", () => {
    it("adds small numbers", () => {
      expect(add(1, 2)).toBe(3);
      expect(add(0, 0)).toBe(0); // it("is a comment")
    });
    it("adds large numbers", async () => {
      expect(await add(1e9, 1)).toBe(1e9 + 1);
    });
  });
  test.each([[4, 2], [9, 3]])("divides %d by %d", (a, b) => {
    expect(div(a, b) * b).toEqual(a);
  });
});
"""
NODE = """
const test = require('node:test');
const assert = require('node:assert/strict');
const { add } = require('../calc');

test('adds', (t) => {
  assert.equal(add(1, 2), 3);
  assert.deepEqual(add([1], [2]), [1, 2]);
});

test('matches a path', () => {
  assert.match(add('/a', '/b'), /^\\/a['"]?\\/b$/);
});
"""
GO = """
package calc

import "testing"

func TestAdd(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf("Add(1, 2) = %d", got)
	}
	if got := Add(0, 0); got != 0 {
		t.Fatalf("Add(0, 0) = %d", got)
	}
}

func TestDiv(t *testing.T) {
	tests := []struct{ a, b, want int }{{4, 2, 2}, {9, 3, 3}}
	for _, tt := range tests {
		t.Run("div", func(t *testing.T) {
			require.Equal(t, tt.want, Div(tt.a, tt.b))
		})
	}
}
"""
RUST = """
pub fn add(a: i32, b: i32) -> i32 { a + b }

pub fn name<'a>(x: &'a str) -> &'a str { x }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_small() {
        assert_eq!(add(1, 2), 3);
        assert!(add(0, 0) == 0, "zero {}", '{');
    }

    /// A test with a message.
    #[test]
    #[allow(clippy::all)]
    fn names() {
        assert_eq!(name("a }"), "a }");
    }
}
"""
JAVA = """
package calc;

import org.junit.jupiter.api.*;
import static org.junit.jupiter.api.Assertions.*;

class CalcTest {
    private final Calc calc = new Calc();

    @Test
    @DisplayName("adds { small numbers")
    void addsSmall() throws Exception {
        assertEquals(3, calc.add(1, 2));
        assertEquals(0, calc.add(0, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void addsZero(int n) {
        assertEquals(n, calc.add(n, 0));
    }
}
"""
RUBY = """
require "spec_helper"

RSpec.describe Calc do
  describe "#add" do
    it "adds small numbers" do
      expect(Calc.add(1, 2)).to eq(3)
      expect(Calc.add(0, 0)).to eq(0)
    end

    it "adds large numbers" do
      expect(Calc.add(10**9, 1)).to eq(10**9 + 1)
    end
  end

  it { is_expected.to respond_to(:add) }
end
"""
MINITEST = """
class CalcTest < Minitest::Test
  def test_add
    assert_equal 3, Calc.add(1, 2)
    refute_nil Calc.add(0, 0)
  end
end
"""
CSHARP = """
public class CalcTests
{
    [Fact]
    public void AddsSmall()
    {
        Assert.Equal(3, Calc.Add(1, 2));
        Assert.Equal(0, Calc.Add(0, 0));
    }

    [Theory]
    [InlineData(4, 2)]
    [InlineData(9, 3)]
    public void Divides(int a, int b)
    {
        Assert.Equal(a, Calc.Div(a, b) * b);
    }
}
"""
PHP = """<?php
final class CalcTest extends TestCase
{
    public function testAdd(): void
    {
        $this->assertSame(3, add(1, 2));
        $this->assertSame(0, add(0, 0)); # zero
    }
}
"""
KOTLIN = """
class CalcTest {
    @Test
    fun `adds small numbers`() = runTest {
        assertEquals(3, add(1, 2))
        assertEquals(0, add(0, 0))
    }
}
"""
FILES = {
    "tests/test_calc.py": PY,
    "tests/test_unit.py": UNITTEST,
    "src/calc.test.ts": JS,
    "test/calc.js": NODE,
    "calc_test.go": GO,
    "src/lib.rs": RUST,
    "src/test/java/calc/CalcTest.java": JAVA,
    "spec/calc_spec.rb": RUBY,
    "test/calc_test.rb": MINITEST,
    "CalcTests.cs": CSHARP,
    "tests/CalcTest.php": PHP,
    "src/test/kotlin/CalcTest.kt": KOTLIN,
}
PLACES = {text: path for path, text in FILES.items()}


def found(text: str, *edits: tuple[str, str]) -> list[tuple[str, str]]:
    """What is said of a file after these replacements, each of which must fit."""
    after = text
    for old, new in edits:
        assert old in after, f"nothing to replace: {old}"
        after = after.replace(old, new)
    path = PLACES[text]
    return [(w.what, w.detail) for w in bounded(compare({path: text}, {path: after}))]


@pytest.mark.parametrize("path", FILES)
def test_a_file_as_it_was_is_not_weaker(path: str) -> None:
    assert compare({path: FILES[path]}, {path: FILES[path]}) == []


@pytest.mark.parametrize("path", FILES)
def test_a_deleted_file_of_tests_is_named_once(path: str) -> None:
    (only,) = compare({path: FILES[path]}, {})
    assert (only.path, only.what) == (path, "file deleted")


@pytest.mark.parametrize("path", FILES)
def test_an_emptied_file_of_tests_is_named_once(path: str) -> None:
    (only,) = compare({path: FILES[path]}, {path: "\n"})
    assert (only.path, only.what) == (path, "file emptied")


@pytest.mark.parametrize("path", FILES)
def test_a_file_that_is_commented_out_is_an_emptied_one(path: str) -> None:
    mark = "#" if path.endswith((".py", ".rb")) else "//"
    gone = "\n".join(f"{mark} {line}" for line in FILES[path].splitlines())
    assert [w.what for w in compare({path: FILES[path]}, {path: gone})] == ["file emptied"]


@pytest.mark.parametrize("path", FILES)
def test_a_moved_file_of_tests_is_not_weaker(path: str) -> None:
    folder, _, name = path.rpartition("/")
    assert compare({path: FILES[path]}, {f"{folder or 'new'}/tests/{name}": FILES[path]}) == []


@pytest.mark.parametrize("path", FILES)
def test_new_tests_and_new_lines_around_them_are_welcome(path: str) -> None:
    after = FILES[path].replace("\n\n", "\n\n\n")
    new = f"more/{path}"
    assert compare({path: FILES[path]}, {path: after, new: FILES[path]}) == []


SKIPPED = [
    (
        PY,
        "def test_div_by_zero",
        "@pytest.mark.skip\ndef test_div_by_zero",
        "test_div_by_zero: pytest.mark.skip",
    ),
    (
        PY,
        "    def test_large",
        "    @pytest.mark.xfail(strict=False)\n    def test_large",
        "TestAdd.test_large: pytest.mark.xfail(strict=False)",
    ),
    (
        PY,
        "def test_div_by_zero():",
        "def test_div_by_zero():\n    if not FAST:\n        pytest.skip('slow')",
        "test_div_by_zero: pytest.skip('slow')",
    ),
    (
        UNITTEST,
        "    def test_small",
        "    @unittest.skipIf(True, 'later')\n    def test_small",
        "Add.test_small: unittest.skipIf(True, 'later')",
    ),
    (
        UNITTEST,
        "def test_small(self):",
        "def test_small(self):\n        self.skipTest('x')",
        "Add.test_small: self.skipTest('x')",
    ),
    (
        UNITTEST,
        "    def test_small",
        "    @unittest.expectedFailure\n    def test_small",
        "Add.test_small: unittest.expectedFailure",
    ),
    (JS, 'it("adds small', 'it.skip("adds small', "calc > add > adds small numbers: .skip"),
    (JS, 'it("adds small', 'xit("adds small', "calc > add > adds small numbers: xit"),
    (JS, "test.each", "test.skip.each", "calc > divides %d by %d: .skip"),
    (JS, 'describe("add"', 'describe.skip("add"', "calc > add > adds small numbers: .skip"),
    (NODE, "test('adds', (t) => {", "test('adds', { skip: true }, (t) => {", "adds: skip: true"),
    (NODE, "test('adds', (t) => {", "test('adds', (t) => {\n  t.skip('later');", "adds: t.skip"),
    (
        GO,
        "func TestAdd(t *testing.T) {",
        'func TestAdd(t *testing.T) {\n\tt.Skip("flaky")',
        "TestAdd: t.Skip",
    ),
    (GO, "package calc", "//go:build integration\n\npackage calc", "TestAdd: //go:build integration"),
    (
        RUST,
        "#[test]\n    fn adds_small",
        "#[test]\n    #[ignore]\n    fn adds_small",
        "tests > adds_small: ignore",
    ),
    (RUST, "#[allow(clippy::all)]", '#[ignore = "flaky"]', "tests > names: ignore"),
    (
        RUST,
        "    #[test]\n    fn adds_small",
        "    #[should_panic]\n    #[test]\n    fn adds_small",
        "tests > adds_small: should_panic",
    ),
    (JAVA, "    @Test\n", '    @Test\n    @Disabled("later")\n', "CalcTest > addsSmall: @Disabled"),
    (JAVA, "    @ParameterizedTest", "    @Ignore\n    @ParameterizedTest", "CalcTest > addsZero: @Ignore"),
    (JAVA, "class CalcTest", "@Disabled\nclass CalcTest", "CalcTest > addsSmall: @Disabled"),
    (RUBY, 'it "adds large', 'xit "adds large', "#add > adds large numbers: xit"),
    (
        RUBY,
        'it "adds large numbers" do',
        'it "adds large numbers" do\n      pending "later"',
        "#add > adds large numbers: pending",
    ),
    (
        RUBY,
        'it "adds large numbers" do',
        'it "adds large numbers", skip: "x" do',
        "#add > adds large numbers: skip:",
    ),
    (MINITEST, "def test_add", "def test_add\n    skip", "CalcTest > test_add: skip"),
    (CSHARP, "[Fact]", '[Fact(Skip = "later")]', "CalcTests > AddsSmall: Skip ="),
    (CSHARP, "    [Theory]", "    [Ignore]\n    [Theory]", "CalcTests > Divides: [Ignore"),
    (
        PHP,
        "void\n    {\n",
        "void\n    {\n        $this->markTestSkipped('x');\n",
        "CalcTest > testAdd: markTestSkipped",
    ),
    (KOTLIN, "@Test", "@Test @Disabled", "CalcTest > adds small numbers: @Disabled"),
]


@pytest.mark.parametrize(("text", "old", "new", "detail"), SKIPPED, ids=[s[3] for s in SKIPPED])
def test_a_skip_on_an_existing_test_is_named(text: str, old: str, new: str, detail: str) -> None:
    assert ("test skipped", detail) in found(text, (old, new))


def test_a_skip_for_a_whole_class_or_module_reaches_its_tests() -> None:
    for edit in (
        ("class TestAdd:", "class TestAdd:\n    __test__ = False\n"),
        ("class TestAdd:", "@pytest.mark.skip\nclass TestAdd:"),
        ("import pytest\n", "import pytest\npytestmark = [pytest.mark.slow, pytest.mark.skip]\n"),
        ("import pytest\n", "import pytest\npytest.skip('no', allow_module_level=True)\n"),
    ):
        named = {detail.split(":")[0] for what, detail in found(PY, edit) if what == "test skipped"}
        assert {"TestAdd.test_small", "TestAdd.test_large"} <= named, edit


def test_a_skip_that_was_there_before_is_no_news() -> None:
    skipped = PY.replace("def test_div_by_zero", "@pytest.mark.skip\ndef test_div_by_zero")
    assert compare({"tests/test_a.py": skipped}, {"tests/test_a.py": skipped + "\n"}) == []


REMOVED = [
    (PY, "    def test_large(self):\n        assert add(10**9, 1) == 10**9 + 1\n", "", "TestAdd.test_large"),
    (PY, "def test_div_by_zero", "def _test_div_by_zero", "test_div_by_zero"),
    (PY, "class TestAdd:", "class Addition:", "TestAdd.test_small"),
    (JS, 'it("adds large', 'later("adds large', "calc > add > adds large numbers"),
    (GO, "func TestDiv(", "func testDiv(", "TestDiv"),
    (RUST, "    #[test]\n    #[allow", "    #[allow", "tests > names"),
    (JAVA, "    @ParameterizedTest\n    @ValueSource(ints = {1, 2, 3})\n", "", "CalcTest > addsZero"),
    (RUBY, 'it "adds large numbers" do', "def later", "#add > adds large numbers"),
    (CSHARP, "    [Fact]\n", "", "CalcTests > AddsSmall"),
]


@pytest.mark.parametrize(("text", "old", "new", "detail"), REMOVED, ids=[r[3] for r in REMOVED])
def test_a_test_that_no_runner_finds_any_more_is_named(text: str, old: str, new: str, detail: str) -> None:
    assert ("test removed", detail) in found(text, (old, new))


FEWER = [
    (PY, "        assert add(0, 0) == 0\n", "", "TestAdd.test_small: 2 assertions, now 1"),
    (
        PY,
        "        assert add(1, 2) == 3\n",
        "        return\n        assert add(1, 2) == 3\n",
        "TestAdd.test_small: 2 assertions, now 0",
    ),
    (
        PY,
        "        assert add(1, 2) == 3\n",
        "        try:\n            assert add(1, 2) == 3\n        except Exception:\n            pass\n",
        "TestAdd.test_small: 2 assertions, now 1",
    ),
    (
        PY,
        "        assert add(1, 2) == 3\n",
        "        if False:\n            assert add(1, 2) == 3\n",
        "TestAdd.test_small: 2 assertions, now 1",
    ),
    (UNITTEST, "        self.assertEqual(add(1, 2), 3)\n", "", "Add.test_small: 2 assertions, now 1"),
    (
        JS,
        "      expect(add(1, 2)).toBe(3);\n",
        "      // expect(add(1, 2)).toBe(3);\n",
        "calc > add > adds small numbers: 2 assertions, now 1",
    ),
    (NODE, "  assert.equal(add(1, 2), 3);\n", "", "adds: 2 assertions, now 1"),
    (NODE, "test('adds', (t) => {\n", "test('adds', (t) => {\n  return;\n", "adds: 2 assertions, now 0"),
    (GO, '\t\tt.Fatalf("Add(0, 0) = %d", got)\n', "\t\t_ = got\n", "TestAdd: 2 assertions, now 1"),
    (
        GO,
        "\tif got := Add(1, 2); got != 3 {",
        "\treturn\n\tif got := Add(1, 2); got != 3 {",
        "TestAdd: 2 assertions, now 0",
    ),
    (RUST, "        assert_eq!(add(1, 2), 3);\n", "", "tests > adds_small: 2 assertions, now 1"),
    (JAVA, "        assertEquals(0, calc.add(0, 0));\n", "", "CalcTest > addsSmall: 2 assertions, now 1"),
    (RUBY, "      expect(Calc.add(0, 0)).to eq(0)\n", "", "#add > adds small numbers: 2 assertions, now 1"),
    (MINITEST, "    refute_nil Calc.add(0, 0)\n", "", "CalcTest > test_add: 2 assertions, now 1"),
    (CSHARP, "        Assert.Equal(0, Calc.Add(0, 0));\n", "", "CalcTests > AddsSmall: 2 assertions, now 1"),
    (PHP, "        $this->assertSame(0, add(0, 0)); # zero\n", "", "CalcTest > testAdd: 2 assertions, now 1"),
    (
        KOTLIN,
        "        assertEquals(0, add(0, 0))\n",
        "",
        "CalcTest > adds small numbers: 2 assertions, now 1",
    ),
]


@pytest.mark.parametrize(
    ("text", "old", "new", "detail"), FEWER, ids=[f"{n} {x[3]}" for n, x in enumerate(FEWER)]
)
def test_an_assertion_that_is_gone_is_named(text: str, old: str, new: str, detail: str) -> None:
    assert found(text, (old, new)) == [("assertions removed", detail)]


TRIVIAL = [
    (PY, "assert add(1, 2) == 3", "assert True"),
    (PY, "assert add(1, 2) == 3", "assert (add(1, 2) == 3, 'three')"),
    (PY, "assert add(1, 2) == 3", "assert add(1, 2) == 3 or True"),
    (UNITTEST, "self.assertEqual(add(1, 2), 3)", "self.assertTrue(True)"),
    (UNITTEST, "self.assertEqual(add(1, 2), 3)", "self.assertEqual(3, 3)"),
    (JS, "expect(add(1, 2)).toBe(3)", "expect(true).toBe(true)"),
    (JS, "expect(add(1, 2)).toBe(3)", "expect('x').toEqual('x')"),
    (NODE, "assert.equal(add(1, 2), 3)", "assert.ok(true)"),
    (RUST, "assert_eq!(add(1, 2), 3)", "assert!(true)"),
    (JAVA, "assertEquals(3, calc.add(1, 2))", "assertTrue(true)"),
    (JAVA, "assertEquals(3, calc.add(1, 2))", "assertEquals(3, 3)"),
    (RUBY, "expect(Calc.add(1, 2)).to eq(3)", "expect(true).to be(true)"),
    (MINITEST, "assert_equal 3, Calc.add(1, 2)", "assert true"),
    (CSHARP, "Assert.Equal(3, Calc.Add(1, 2))", "Assert.True(true)"),
    (PHP, "$this->assertSame(3, add(1, 2))", "$this->assertTrue(true)"),
]


@pytest.mark.parametrize(("text", "old", "new"), TRIVIAL, ids=[f"{n} {x[2]}" for n, x in enumerate(TRIVIAL)])
def test_an_assertion_that_cannot_fail_any_more_is_named(text: str, old: str, new: str) -> None:
    ((what, detail),) = found(text, (old, new))
    assert what == "assertions trivial" and detail.endswith("2 assertions, now 1")


def test_sets_of_parameters_that_are_gone_are_named() -> None:
    assert found(PY, ("(9, 3), ", "")) == [("parameters removed", "test_div: 3 sets, now 2")]
    marked = ("(9, 3)", "pytest.param(9, 3, marks=pytest.mark.xfail)")
    assert found(PY, marked) == [("parameters removed", "test_div: 3 sets, now 2")]
    assert found(CSHARP, ("    [InlineData(9, 3)]\n", "")) == [
        ("parameters removed", "CalcTests > Divides: 2 sets, now 1")
    ]


def test_a_later_definition_of_the_same_name_counts() -> None:
    again = ("        div(1, 0)\n", "        div(1, 0)\n\ndef test_div_by_zero():\n    pass\n")
    assert found(PY, again) == [("assertions removed", "test_div_by_zero: 1 assertions, now 0")]


ALONE = [
    (JS, 'it("adds small', 'it.only("adds small'),
    (JS, 'it("adds small', 'fit("adds small'),
    (JS, 'describe("add"', 'describe.only("add"'),
    (RUBY, 'it "adds large', 'fit "adds large'),
    (RUBY, 'it "adds large numbers" do', 'it "adds large numbers", :focus do'),
]


@pytest.mark.parametrize(("text", "old", "new"), ALONE, ids=[x[2] for x in ALONE])
def test_a_test_that_keeps_all_others_from_running_is_named(text: str, old: str, new: str) -> None:
    assert [what for what, _ in found(text, (old, new))] == ["test alone"]


# --- what is no weakening


def changed(before: dict[str, str], after: dict[str, str]) -> list[Weakening]:
    dedented = [{path: textwrap.dedent(text) for path, text in files.items()} for files in (before, after)]
    return compare(*dedented)


def test_a_test_that_moved_to_another_file_is_not_gone() -> None:
    moved = "def test_div_by_zero():\n    with pytest.raises(ZeroDivisionError):\n        div(1, 0)\n"
    left = PY.replace(moved, "")
    new = f"import pytest\nfrom calc import div\n\n\n{moved}"
    assert changed({"tests/test_calc.py": PY}, {"tests/test_calc.py": left, "tests/test_div.py": new}) == []


def test_a_test_that_moved_to_where_no_runner_looks_is_gone() -> None:
    (only,) = changed({"tests/test_calc.py": UNITTEST}, {"tests/calc_later.py": UNITTEST})
    assert (only.path, only.what) == ("tests/test_calc.py", "file deleted")


RENAMED = [
    (PY, "test_div_by_zero", "test_nothing_is_divided_by_zero"),
    (PY, "class TestAdd", "class TestAddition"),
    (JS, "adds small numbers", "sums up small numbers"),
    (JS, 'describe("add"', 'describe("addition"'),
    (GO, "TestAdd(", "TestAddition("),
    (RUST, "adds_small", "adds_small_numbers"),
    (RUST, "mod tests", "mod unit_tests"),
    (JAVA, "addsSmall", "addsSmallNumbers"),
    (RUBY, "adds small numbers", "sums up small numbers"),
    (CSHARP, "AddsSmall", "AddsSmallNumbers"),
]


@pytest.mark.parametrize(("text", "old", "new"), RENAMED, ids=[x[2] for x in RENAMED])
def test_a_renamed_test_is_not_gone(text: str, old: str, new: str) -> None:
    assert found(text, (old, new)) == []


def test_a_renamed_test_that_lost_an_assertion_is_weaker() -> None:
    lost = found(GO, ("TestAdd", "TestSum"), ('\t\tt.Fatalf("Add(0, 0) = %d", got)\n', ""))
    assert lost == [("assertions removed", "TestSum: 2 assertions, now 1")]


def test_a_helper_that_asserts_less_is_named_once() -> None:
    before = {
        "tests/helpers.py": "def is_good(reply):\n    assert reply.status == 200\n    assert reply.type == 'json'\n",
        "tests/test_a.py": "def test_a():\n    is_good(get('/a'))\n\ndef test_b():\n    is_good(get('/b'))\n",
    }
    helper = before["tests/helpers.py"].replace("    assert reply.type == 'json'\n", "")
    (only,) = compare(before, {**before, "tests/helpers.py": helper})
    assert only.text == (
        "tests/helpers.py:1: assertions removed: is_good, which tests call: 2 assertions, now 1"
    )
    uncalled = before["tests/test_a.py"].replace("is_good(get('/a'))", "get('/a')")
    (only,) = compare(before, {**before, "tests/test_a.py": uncalled})
    assert only.text == "tests/test_a.py:1: assertions removed: test_a: 2 assertions, now 0"


SPLIT = {
    "tests/test_split.py": (
        """
        def test_both():
            assert add(1, 2) == 3
            assert sub(3, 2) == 1
            assert sub(3, 3) == 0
        """,
        """
        def test_adds():
            assert add(1, 2) == 3

        def test_subtracts():
            assert sub(3, 2) == 1
            assert sub(3, 3) == 0
        """,
    ),
    "src/split.test.js": (
        """
        it("does both", () => {
          expect(add(1, 2)).toBe(3);
          expect(sub(3, 2)).toBe(1);
        });
        """,
        """
        it("adds", () => {
          expect(add(1, 2)).toBe(3);
        });
        it("subtracts", () => {
          expect(sub(3, 2)).toBe(1);
        });
        """,
    ),
    "split_test.go": (
        """
        func TestBoth(t *testing.T) {
            assert.Equal(t, 3, Add(1, 2))
            assert.Equal(t, 1, Sub(3, 2))
        }
        """,
        """
        func TestAdd(t *testing.T) {
            assert.Equal(t, 3, Add(1, 2))
        }

        func TestSub(t *testing.T) {
            assert.Equal(t, 1, Sub(3, 2))
        }
        """,
    ),
    "spec/split_spec.rb": (
        """
        it "does both" do
          expect(add(1, 2)).to eq(3)
          expect(sub(3, 2)).to eq(1)
        end
        """,
        """
        it "adds" do
          expect(add(1, 2)).to eq(3)
        end

        it "subtracts" do
          expect(sub(3, 2)).to eq(1)
        end
        """,
    ),
    "tests/test_kept.py": (
        """
        def test_both():
            assert add(1, 2) == 3
            assert sub(3, 2) == 1
        """,
        """
        def test_both():
            assert add(1, 2) == 3

        def test_subtracts():
            assert sub(3, 2) == 1
        """,
    ),
}


@pytest.mark.parametrize("path", SPLIT)
def test_a_test_that_was_split_is_not_gone(path: str) -> None:
    before, after = SPLIT[path]
    assert changed({path: before}, {path: after}) == []


HONEST = {
    "assertions that moved into a helper": (
        "tests/test_a.py",
        """
        def test_get():
            reply = get("/a")
            assert reply.status == 200
            assert reply.type == "json"
        """,
        """
        def is_good(answer):
            assert answer.status == 200
            assert answer.type == "json"

        def test_get():
            is_good(get("/a"))
        """,
    ),
    "assertions that moved into a helper, in JavaScript": (
        "a.test.js",
        """
        test("get", () => {
          const reply = get("/a");
          expect(reply.status).toBe(200);
          expect(reply.type).toBe("json");
        });
        """,
        """
        function isGood(answer) {
          expect(answer.status).toBe(200);
          expect(answer.type).toBe("json");
        }
        test("get", () => {
          isGood(get("/a"));
        });
        """,
    ),
    "tests that became sets of parameters": (
        "tests/test_a.py",
        """
        def test_one():
            assert add(1, 2) == 3

        def test_two():
            assert add(-1, 2) == 1

        def test_three():
            assert add(0, 0) == 0
        """,
        """
        import pytest

        @pytest.mark.parametrize(("a", "b", "c"), [(1, 2, 3), (-1, 2, 1), (0, 0, 0)])
        def test_add(a, b, c):
            assert add(a, b) == c
        """,
    ),
    "an expectation that changed": (
        "tests/test_a.py",
        "def test_one():\n    assert add(1, 2) == 3\n",
        "def test_one():\n    assert add(1, 2) == 4\n",
    ),
    "an assertion in other words": (
        "a.test.js",
        "test('a', () => {\n  expect(add(1)).toEqual(2);\n});\n",
        "test('a', async () => {\n  await expect(add(1)).resolves.toBe(2);\n});\n",
    ),
    "a new test that is skipped": (
        "tests/test_a.py",
        "def test_one():\n    assert add(1, 2) == 3\n",
        "def test_one():\n    assert add(1, 2) == 3\n\n@pytest.mark.skip\ndef test_new():\n    assert add(2) == 3\n",
    ),
    "a word in a string or a comment": (
        "a.test.js",
        "test('a', () => {\n  expect(add(1)).toEqual(2);\n});\n",
        "// it.skip('b')\ntest('a', () => {\n  expect(add(1)).toEqual(2); /* t.skip() */\n"
        '  log("this.skip() it.only(");\n});\n',
    ),
    "code beside the tests": (
        "src/lib.rs",
        RUST,
        RUST.replace("a + b", "b + a").replace("pub fn name", "#[ignore]\npub fn name"),
    ),
    "a test with nothing around it in Go": (
        "a_test.go",
        "func TestA(t *testing.T) {\n\tif bad() {\n\t\tt.Fatal(1)\n\t}\n}\n",
        "func TestA(t *testing.T) {\n\tif bad() {\n\t\tt.Fatal(1)\n\t\treturn\n\t}\n}\n",
    ),
}


@pytest.mark.parametrize("what", HONEST)
def test_an_honest_change_is_not_named(what: str) -> None:
    path, before, after = HONEST[what]
    assert changed({path: before}, {path: after}) == []


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
