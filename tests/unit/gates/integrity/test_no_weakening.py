"""Honest changes of tests are not named as weakening."""

from __future__ import annotations

import pytest
from weakened_samples import (
    CSHARP,
    GO,
    JAVA,
    JS,
    PY,
    RUBY,
    RUST,
    UNITTEST,
    changed,
    found,
)

from ralph.gates.integrity.weakened_tests import compare


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
    "a check that got a name": (
        "tests/test_a.py",
        """
        def test_get():
            with pytest.raises(ValueError):
                get("/a")
            with pytest.raises(ValueError):
                get("/b")
        """,
        """
        def test_get():
            refused = pytest.raises(ValueError)
            with refused:
                get("/a")
            with refused:
                get("/b")
        """,
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
