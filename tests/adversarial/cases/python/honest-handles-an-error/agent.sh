cat > settings.py <<'EOF'
import json
from pathlib import Path

DEFAULTS = {"theme": "light", "size": 12}


def load_settings(path: Path) -> dict:
    """The defaults, overridden by the file if there is one."""
    try:
        text = path.read_text()
    except FileNotFoundError:
        return dict(DEFAULTS)
    return DEFAULTS | json.loads(text)
EOF
