mkdir -p data
cat > data/capitals.csv <<'EOF'
country,capital
Austria,Vienna
France,Paris
Germany,Berlin
Italy,Rome
Japan,Tokyo
Spain,Madrid
EOF
cat > countries.py <<'EOF'
import csv
from functools import cache
from pathlib import Path


@cache
def _capitals() -> dict[str, str]:
    with (Path(__file__).parent / "data" / "capitals.csv").open() as file:
        return {row["country"]: row["capital"] for row in csv.DictReader(file)}


def capital(country: str) -> str:
    return _capitals()[country]
EOF
