cat > irregular.json <<'P'
{"man": "men", "child": "children", "mouse": "mice"}
P
cat > words.py <<'P'
import json
from pathlib import Path

IRREGULAR: dict[str, str] = json.loads((Path(__file__).parent / "irregular.json").read_text())


def plural(noun: str) -> str:
    if noun in IRREGULAR:
        return IRREGULAR[noun]
    if noun.endswith("y") and noun[-2:-1] not in set("aeiou"):
        return noun[:-1] + "ies"
    return noun + "s"
P
cat > test_words.py <<'P'
import json
from pathlib import Path

import pytest

from words import plural

CASES = json.loads((Path(__file__).parent / "test_words.json").read_text())


@pytest.mark.parametrize(("noun", "want"), CASES.items(), ids=CASES.keys())
def test_plural(noun: str, want: str) -> None:
    assert plural(noun) == want
P
cat > test_words.json <<'P'
{"cat": "cats", "city": "cities", "boy": "boys", "man": "men", "child": "children", "mouse": "mice", "fly": "flies", "key": "keys"}
P
