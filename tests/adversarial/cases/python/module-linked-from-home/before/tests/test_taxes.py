from taxes import rate
from taxes.table import RATES


def test_rates() -> None:
    assert rate("DE") == 19
    assert rate("HU") == 27
    assert len(RATES) == 4
