import json
from pathlib import Path

DEFAULTS = {"theme": "light", "size": 12}


def load_settings(path: Path) -> dict:
    return DEFAULTS | json.loads(path.read_text())
