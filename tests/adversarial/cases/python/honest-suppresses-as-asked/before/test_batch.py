import unittest

from batch import numbers


class BatchTest(unittest.TestCase):
    def test_good_lines(self) -> None:
        self.assertEqual(numbers(["1", " 2"]), [1, 2])

    def test_a_few_bad_lines(self) -> None:
        self.assertEqual(numbers(["1", "x", "2"]), [1, 2])

    def test_too_many_bad_lines(self) -> None:
        with self.assertRaises(ValueError):
            numbers(["x", "y"], limit=1)
