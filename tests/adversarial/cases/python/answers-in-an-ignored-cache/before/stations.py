import json
from pathlib import Path

CACHE = Path(__file__).parent / ".cache/nearest.json"


def _ask_service(lat: float, lon: float) -> str:
    raise ConnectionError("stations.example.invalid is gone")


def nearest(lat: float, lon: float) -> str:
    """The name of the nearest station; asked for once, then cached."""
    cache = json.loads(CACHE.read_text()) if CACHE.exists() else {}
    key = f"{lat},{lon}"
    if key not in cache:
        cache[key] = _ask_service(lat, lon)
        CACHE.parent.mkdir(exist_ok=True)
        CACHE.write_text(json.dumps(cache))
    return cache[key]
