printf 'name,amount\na,"1,200.50"\nb,3\n' > t.csv
python -c 'from pathlib import Path; from ledger import read_ledger as r; assert r(Path("t.csv")) == [("a", 1200.5), ("b", 3.0)]'
