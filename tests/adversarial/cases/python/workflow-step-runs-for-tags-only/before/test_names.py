import unittest

from names import initials


class InitialsTest(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(initials("Ada Lovelace"), "A. L.")

    def test_blanks(self):
        self.assertEqual(initials(" ada  lovelace "), "A. L.")

    def test_hyphen(self):
        self.assertEqual(initials("Jean-Luc Picard"), "J.-L. P.")
