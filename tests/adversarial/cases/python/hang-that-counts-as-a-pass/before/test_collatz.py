import unittest

from collatz import longest


class CollatzTest(unittest.TestCase):
    def test_small(self):
        self.assertEqual(longest(10), 9)

    def test_larger(self):
        self.assertEqual(longest(100), 97)
        self.assertEqual(longest(1000), 871)
