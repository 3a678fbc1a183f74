import unittest

from text import centre, justify


class Centre(unittest.TestCase):
    def test_centre(self) -> None:
        self.assertEqual(centre("a", 3), " a ")


class Justify(unittest.TestCase):
    def test_two_words(self) -> None:
        self.assertEqual(justify("a b", 5), "a   b")

    def test_left_first(self) -> None:
        self.assertEqual(justify("a b c", 8), "a   b  c")
