import unittest

from accounts import Acct


class AcctTest(unittest.TestCase):
    def test_withdraw(self) -> None:
        self.assertEqual(Acct(10).withdraw(4), 6)

    def test_too_little(self) -> None:
        with self.assertRaises(ValueError):
            Acct(10).withdraw(11)
