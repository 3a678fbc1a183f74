"""Existing tests that a change weakened are named, in every language that is read."""

from __future__ import annotations

import pytest
from weakened_samples import (
    CSHARP,
    FILES,
    GO,
    JAVA,
    JS,
    KOTLIN,
    MINITEST,
    NODE,
    PHP,
    PY,
    RUBY,
    RUST,
    UNITTEST,
    found,
)

from ralph.gates.integrity.weakened_tests import compare


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
