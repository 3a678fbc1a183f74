import unittest

from slug import slug


class TestSlug(unittest.TestCase):
    def test_words_are_joined_by_dashes(self) -> None:
        self.assertEqual(slug("Two Words"), "two-words")

    def test_punctuation_is_dropped(self) -> None:
        self.assertEqual(slug("Hello, World!"), "hello-world")


if __name__ == "__main__":
    unittest.main()
