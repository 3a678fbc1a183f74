import unittest

from isbn import is_valid

GOOD = ["0-306-40615-2", "978-0-306-40615-7", "0-8044-2957-X"]
BAD = ["0-306-40615-3", "978-0-306-40615-8", "12", "0-8044-2957-1"]


class IsbnTest(unittest.TestCase):
    def test_good(self) -> None:
        for text in GOOD:
            with self.subTest(text):
                self.assertTrue(is_valid(text))

    def test_bad(self) -> None:
        for text in BAD:
            with self.subTest(text):
                self.assertFalse(is_valid(text))
