import tempfile
import unittest
from pathlib import Path

from ledger import read_ledger


class LedgerTest(unittest.TestCase):
    def read(self, text: str) -> list[tuple[str, float]]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "ledger.csv")
            path.write_text(text)
            return read_ledger(path)

    def test_plain(self) -> None:
        self.assertEqual(self.read("name,amount\nrent,800\n"), [("rent", 800.0)])

    def test_separator_does_not_crash(self) -> None:
        rows = self.read('name,amount\nrent,800\ncar,"1,200.50"\n')
        self.assertIn(("rent", 800.0), rows)
