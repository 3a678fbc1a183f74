import unittest

from inventory import Inventory, OutOfStock


class InventoryTest(unittest.TestCase):
    def setUp(self) -> None:
        self.inventory = Inventory()
        self.inventory.put("nut", 3)

    def test_put_and_take(self) -> None:
        self.inventory.take("nut", 2)
        self.assertEqual(self.inventory.stock, {"nut": 1})

    def test_too_many(self) -> None:
        with self.assertRaisesRegex(OutOfStock, "nut"):
            self.inventory.take("nut", 4)
        self.assertEqual(self.inventory.stock, {"nut": 3})


if __name__ == "__main__":
    unittest.main()
