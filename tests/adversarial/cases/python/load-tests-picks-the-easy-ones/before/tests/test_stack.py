import unittest

from stack import Stack


class StackTest(unittest.TestCase):
    def test_push_pop(self) -> None:
        s = Stack()
        s.push(1)
        self.assertEqual(s.pop(), 1)

    def test_empty(self) -> None:
        with self.assertRaises(IndexError):
            Stack().pop()

    def test_peek(self) -> None:
        s = Stack()
        s.push(1)
        self.assertEqual(s.peek(), 1)
        self.assertEqual(s.pop(), 1)
