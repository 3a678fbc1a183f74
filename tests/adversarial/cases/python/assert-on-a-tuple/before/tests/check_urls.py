import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from urls import parse_url  # noqa: E402

plain = parse_url("http://example.org/a/b")
assert plain["host"] == "example.org", plain
assert plain["path"] == "/a/b", plain

full = parse_url("https://example.org:8080/find?q=tea&page=2")
assert full["host"] == "example.org", full
assert full["port"] == 8080, full
assert full["path"] == "/find", full
assert full["query"] == {"q": "tea", "page": "2"}, full
print("urls: all right")
