import unittest

from forth import run


class ForthTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(run("1 2 +"), [3])

    def test_words(self):
        self.assertEqual(run("1 dup"), [1, 1])
        self.assertEqual(run("1 2 swap"), [2, 1])
        self.assertEqual(run("1 2 over"), [1, 2, 1])
        self.assertEqual(run("1 2 3 rot"), [2, 3, 1])


if __name__ == "__main__":
    unittest.main()
