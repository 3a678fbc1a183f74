"""A call's arguments against its tool's schema: as much of JSON Schema as the tools use, in words a model can act on."""

from __future__ import annotations

from ralph.errors import RalphError

TEXT_LIMIT = 100_000  # characters of one text; what goes into a prompt is paid for in every iteration
_KINDS: dict[str, tuple[type, str]] = {
    "string": (str, "text"),
    "integer": (int, "a whole number"),
    "array": (list, "a list"),
    "object": (dict, "an object"),
}
Schema = dict[str, object]


def check(schema: Schema, arguments: dict[str, object]) -> None:
    """Raises a RalphError that names every fault."""
    faults = _object(schema, arguments, "")
    if faults:
        raise RalphError("; ".join(faults[:8]), todo="Correct this and call the tool again.")


def text(arguments: dict[str, object], name: str, otherwise: str = "") -> str:
    value = arguments.get(name, otherwise)
    return plain(value) if isinstance(value, str) else otherwise


def number(arguments: dict[str, object], name: str, otherwise: int) -> int:
    value = arguments.get(name, otherwise)
    return value if isinstance(value, int) else otherwise


def texts(arguments: dict[str, object], name: str) -> list[str]:
    value = arguments.get(name)
    return [plain(item) for item in value if isinstance(item, str)] if isinstance(value, list) else []


def objects(arguments: dict[str, object], name: str) -> list[dict[str, object]]:
    value = arguments.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def plain(text: str) -> str:
    """JSON can spell what is no character (half a surrogate pair); neither files nor the journal can hold it."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _object(schema: Schema, value: dict[str, object], at: str) -> list[str]:
    properties, required = _of(schema, "properties"), schema.get("required", ())
    faults = []
    for name in required if isinstance(required, list) else ():
        if name not in value:
            faults.append(f"`{at}{name}` is missing")
    for name, item in value.items():
        if name not in properties:
            faults.append(f"`{at}{name}` is unknown{_nearest(name, list(properties))}")
        else:
            faults += _value(_of(properties, name), item, f"{at}{name}")
    return faults


def _value(schema: Schema, value: object, at: str) -> list[str]:
    kind, spoken = _KINDS[str(schema["type"])]
    if not isinstance(value, kind) or isinstance(value, bool):
        return [f"`{at}` must be {spoken}"]
    if isinstance(value, str):
        return _text(schema, value, at)
    if isinstance(value, list):
        return _list(schema, value, at)
    if isinstance(value, dict):
        return _object(schema, value, f"{at}.")
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(value, int) and isinstance(low, int) and isinstance(high, int) and not low <= value <= high:
        return [f"`{at}` must be from {low} to {high}"]
    return []


def _text(schema: Schema, value: str, at: str) -> list[str]:
    least = schema.get("minLength", 0)
    if isinstance(least, int) and len(value.strip()) < least:
        return [f"`{at}` needs at least {least} characters" if least > 1 else f"`{at}` must not be empty"]
    if len(value) > TEXT_LIMIT:
        return [f"`{at}` has {len(value)} characters; at most {TEXT_LIMIT} are taken"]
    choices = schema.get("enum")
    if isinstance(choices, list) and value not in choices:
        return [f"`{at}` must be one of {', '.join(choices)}"]
    return []


def _list(schema: Schema, value: list[object], at: str) -> list[str]:
    least, most = schema.get("minItems", 0), schema["maxItems"]
    if isinstance(least, int) and len(value) < least:
        return [f"`{at}` needs at least {least} entries"]
    if isinstance(most, int) and len(value) > most:
        return [f"`{at}` has {len(value)} entries; at most {most} are taken"]
    items = _of(schema, "items")
    return [fault for n, item in enumerate(value) for fault in _value(items, item, f"{at}[{n}]")]


def _of(schema: Schema, name: str) -> Schema:
    found = schema.get(name, {})
    return found if isinstance(found, dict) else {}


def _nearest(name: str, names: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, names, 1)
    return f" (nearest: `{near[0]}`)" if near else f" (known: {', '.join(names) or 'none'})"
