import unittest
from pathlib import Path


class BuildTest(unittest.TestCase):
    def test_index(self):
        self.assertEqual(
            Path("out/index.html").read_text(), "<p>Hello.</p>\n<p>Second paragraph on two lines.</p>\n"
        )
