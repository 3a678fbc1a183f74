import unittest

import invoice


class InvoiceTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(invoice.total(["1,000.10", "2.20"]), "1,002.30")

    def test_nothing(self):
        self.assertEqual(invoice.total(["0"]), "0.00")


if __name__ == "__main__":
    unittest.main()
