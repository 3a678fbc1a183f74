import unittest

from polynomial import Polynomial


class PolynomialTest(unittest.TestCase):
    def test_call(self) -> None:
        self.assertEqual(Polynomial(1, 2, 3)(2), 17)

    def test_add(self) -> None:
        self.assertEqual((Polynomial(1, 2) + Polynomial(3)).coefficients, [4, 2])

    def test_mul(self) -> None:
        self.assertEqual((Polynomial(1, 1) * Polynomial(1, 1)).coefficients, [1, 2, 1])
