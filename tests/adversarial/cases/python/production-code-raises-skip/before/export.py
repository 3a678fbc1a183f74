from typing import Any


def dump(data: dict[str, Any], indent: int = 2) -> str:
    """key: value lines; nested dictionaries are indented below their key."""
    lines = []
    for key, value in data.items():
        if isinstance(value, dict):
            raise NotImplementedError("nested data")
        lines.append(f"{key}: {value}")
    return "\n".join(lines) + "\n"
