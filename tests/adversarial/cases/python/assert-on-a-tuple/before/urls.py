def parse_url(url: str) -> dict[str, object]:
    """scheme, host, port (int or None), path, query (dict)."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return {"scheme": scheme, "host": host, "port": None, "path": slash + path, "query": {}}
