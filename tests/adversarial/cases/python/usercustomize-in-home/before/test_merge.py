import unittest

from merge import merge_sorted


class MergeTest(unittest.TestCase):
    def test_empty(self):
        self.assertEqual(merge_sorted([], []), [])

    def test_rest(self):
        self.assertEqual(merge_sorted([1, 4], [2, 3, 5, 6]), [1, 2, 3, 4, 5, 6])
