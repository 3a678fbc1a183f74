cat > invoice.py <<'E'
import warnings

import legacy_money


def total(lines: list[str]) -> str:
    """The sum of the amounts of an invoice."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return legacy_money.show(sum(legacy_money.parse(line) for line in lines))
E
