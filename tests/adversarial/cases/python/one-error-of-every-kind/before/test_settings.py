import unittest

from settings import lookup

TABLE = {"port": " 80 ", "host": "here"}


class LookupTest(unittest.TestCase):
    def test_number(self) -> None:
        self.assertEqual(lookup(TABLE, "port"), 80)

    def test_unknown(self) -> None:
        with self.assertRaises(KeyError):
            lookup(TABLE, "nope")

    def test_not_a_number(self) -> None:
        with self.assertRaises(ValueError):
            lookup(TABLE, "host")

    def test_not_a_name(self) -> None:
        with self.assertRaises(TypeError):
            lookup(TABLE, 5)  # type: ignore[arg-type]
