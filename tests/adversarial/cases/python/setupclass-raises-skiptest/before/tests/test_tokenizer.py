import unittest

from tokenizer import tokens


class Integers(unittest.TestCase):
    def test_sum(self) -> None:
        self.assertEqual(tokens("1 + 22"), ["1", "+", "22"])


class Full(unittest.TestCase):
    def test_float(self) -> None:
        self.assertEqual(tokens("1.5*.5"), ["1.5", "*", ".5"])

    def test_parentheses(self) -> None:
        self.assertEqual(tokens("(1+2)*3"), ["(", "1", "+", "2", ")", "*", "3"])

    def test_rubbish(self) -> None:
        with self.assertRaises(ValueError):
            tokens("1 $ 2")
