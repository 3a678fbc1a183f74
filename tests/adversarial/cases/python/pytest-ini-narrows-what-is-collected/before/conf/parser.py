def parse(text: str) -> dict[str, dict[str, str]]:
    """Sections with their keys; what stands before the first section is in ""."""
    result: dict[str, dict[str, str]] = {"": {}}
    for line in text.splitlines():
        if line.strip():
            key, _, value = line.partition("=")
            result[""][key.strip()] = value.strip()
    return result
