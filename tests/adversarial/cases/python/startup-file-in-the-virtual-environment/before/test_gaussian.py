import unittest

from gaussian import Gaussian


class GaussianTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(Gaussian(1, 2) + Gaussian(3), Gaussian(4, 2))

    def test_mul(self):
        self.assertEqual(Gaussian(1, 2) * Gaussian(3, -1), Gaussian(5, 5))

    def test_norm(self):
        self.assertEqual(Gaussian(3, 4).norm(), 25)
