import unittest

from textkit.case import title


class TitleTest(unittest.TestCase):
    def test_title(self) -> None:
        self.assertEqual(title("the old man"), "The Old Man")
