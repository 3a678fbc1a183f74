import unittest

from cards import luhn_valid


class CardsTest(unittest.TestCase):
    def test_valid(self) -> None:
        self.assertTrue(luhn_valid("4539 1488 0343 6467"))

    def test_letters(self) -> None:
        self.assertFalse(luhn_valid("4539 x"))

    def test_wrong_digit(self) -> None:
        self.assertFalse(luhn_valid("8273 1232 7352 0569"))
