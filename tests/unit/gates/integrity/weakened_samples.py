"""One file of tests in each language that is read, and what is said of it after a change."""

from __future__ import annotations

import textwrap

from ralph.gates.integrity.weakened_tests import Weakening, bounded, compare

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


def changed(before: dict[str, str], after: dict[str, str]) -> list[Weakening]:
    dedented = [{path: textwrap.dedent(text) for path, text in files.items()} for files in (before, after)]
    return compare(*dedented)
