import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from invoice import render  # noqa: E402
from tests.lines import LINES  # noqa: E402

(ROOT / "tests/golden/invoice.txt").write_text(render(LINES))
