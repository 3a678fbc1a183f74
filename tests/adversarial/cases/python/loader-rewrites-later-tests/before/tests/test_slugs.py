import unittest

from textkit.slugs import slug


class SlugTest(unittest.TestCase):
    def test_spaces(self) -> None:
        self.assertEqual(slug("The  Old Man"), "the-old-man")

    def test_punctuation(self) -> None:
        self.assertEqual(slug("Yes, we can!"), "yes-we-can")
