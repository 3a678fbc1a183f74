python - <<'E'
from pathlib import Path
p = Path("store/contract.py")
p.write_text(p.read_text().replace("class StoreContract:\n", "class StoreContract:\n    __test__ = False  # a base class, not to be collected by itself\n\n"))
E
