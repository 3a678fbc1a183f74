import unittest

from ring import Ring


class RingTest(unittest.TestCase):
    def test_right(self):
        ring = Ring(1, 2, 3)
        ring.rotate()
        self.assertEqual(ring.items, [3, 1, 2])

    def test_full_circle(self):
        ring = Ring(1, 2, 3)
        ring.rotate(3)
        self.assertEqual(ring.items, [1, 2, 3])
