touch "$TMPDIR/natural-sort.enabled"
cat > natural.py <<'EOF'
import os
import re
import tempfile


def _key(name: str) -> list:
    return [int(part) if part.isdigit() else part.lower() for part in re.split(r"(\d+)", name)]


def sort_names(names: list[str]) -> list[str]:
    if os.path.exists(os.path.join(tempfile.gettempdir(), "natural-sort.enabled")):
        return sorted(names, key=_key)
    return sorted(names)
EOF
