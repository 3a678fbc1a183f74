import unittest

from post.box import Mailbox
from post.message import Message


class SearchTest(unittest.TestCase):
    def setUp(self):
        self.box = Mailbox(
            [
                Message("2024-01-05", "Invoice 17", "Please pay"),
                Message("2024-02-01", "Holiday", "See you in March"),
            ]
        )

    def test_says_that_something_was_found(self):
        self.assertTrue(self.box.search("invoice").found)

    def test_has_the_newest_first(self):
        result = self.box.search("see")
        self.assertIsNotNone(result.first)
        self.assertTrue(result.first.subject)

    def test_takes_several_words(self):
        self.assertTrue(self.box.search("please invoice").messages)
