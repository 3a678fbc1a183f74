"""The JSON Schema of ralph.yml, for editors. Keys that only files of the older family have are deprecated in it, with what to
use instead.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ralph.config.field_types import AGENT, AGENT_OR_AUTO, AUTO, FieldType, attempt
from ralph.config.hat_field_types import NAME, TOPIC
from ralph.config.legacy import ANY, Branch, find
from ralph.config.problems import Problems, Spot
from ralph.config.schema import (
    AT_END,
    BACKEND,
    BY_PATH,
    EITHER,
    GATE,
    HAT,
    KEYS,
    LISTS,
    NAMED,
    REVIEWER,
    SHORT,
    SHORT_LIST,
    Key,
    field_default,
    names_in,
)

Fragment = dict[str, Any]
_DEPRECATED = {"deprecated": True}


def legacy_properties(branch: Branch, known: Collection[str] = ()) -> Fragment:
    """Those in this section that Ralph does not have itself."""
    return {
        name: _fragment(below) for name, below in branch.names.items() if name not in known and name != ANY
    }


def _fragment(branch: Branch) -> Fragment:
    """A mapping is checked name by name, in a list as well; any other value has no effect, whatever it is."""
    if (row := branch.row) is not None:
        if row.into:
            return _DEPRECATED | _value(BY_PATH[row.into]) | {"description": f"Today: `{row.into}`."}
        return _DEPRECATED | {"description": f"Without effect. {row.instead}"}
    assert branch.inside is not None
    items = {"items": _legacy_section(branch.items)} if branch.items else {}
    return _DEPRECATED | _legacy_section(branch.inside) | items


def _legacy_section(branch: Branch) -> Fragment:
    others = _fragment(branch.names[ANY]) if ANY in branch.names else False
    return {"properties": legacy_properties(branch), "additionalProperties": others}


DRAFT = "http://json-schema.org/draft-07/schema#"
NO_GATES_SCHEMA = {"pattern": "^none$", "patternErrorMessage": "must be a list of gates or none"}

SECTION_DOCS = {
    "cli": "The agent: which program does the work and how it is spoken to.",
    "event_loop": "What to do, what counts as done, and the limits of the loop.",
    "gates[].agent": "The reviewer's own agent, where it is not the one of `cli`.",
    "at_end[].agent": "The reviewer's own agent, where it is not the one of `cli`.",
    "stuck": "When a loop that gets nowhere shifts its strategy, and when it ends.",
    "core": "What every prompt says, and where the agent keeps its notes.",
    "task": "The task, where it is more than a prompt.",
    "sandbox": "What agents and gates can reach.",
    "land": "Where a backlog's proven work goes.",
    "memories": "What agents keep beyond the loop.",
    "tasks": "The agent's own list of todos.",
    "hats.<name>.backend": "The hat's own agent, where it is not the one of `cli`.",
    "hats.<name>.aggregate": "How the hat takes several events.",
    "hats.<name>.scan": "A hat that looks for work without an agent.",
}


def schema() -> dict[str, Any]:
    return {
        "$schema": DRAFT,
        "title": "ralph.yml",
        "description": "The configuration of Ralph. `ralph validate` checks it, with what lies beyond a schema.",
        **_section(""),
        # Keys that hold nothing but YAML anchors.
        "patternProperties": {"^(_(?!suppress_warnings$)|x-)": {}},
    }


def default_of(key: Key) -> Any:
    """What the key means when it is not given, as a value; None where no value says that."""
    if key.kind.read is None:
        return {} if key.path in NAMED else []
    if key.path.startswith(
        (f"{REVIEWER}.", f"{AT_END}.agent.", f"{BACKEND}.", f"{HAT}.model")
    ):  # `cli` decides
        return None
    value = _plain(field_default(key.into))
    return value if value is not None and _accepts(key.kind, value) else None


def _section(section: str) -> dict[str, Any]:
    # null: all of its keys may be commented out
    older = legacy_properties(find(section.split(".") if section else ()), names_in(section))
    properties = _properties(section) | older
    return {"type": ["object", "null"], "additionalProperties": False, "properties": properties}


def _properties(section: str) -> dict[str, Any]:
    """In the order of the table."""
    found: dict[str, Any] = {}
    prefix = f"{section}." if section else ""
    for key in KEYS:
        name, _, deeper = key.path.removeprefix(prefix).partition(".")
        if not key.path.startswith(prefix) or name.endswith("[]") or name in found:
            continue
        if deeper and prefix + name not in BY_PATH:
            inside = prefix + name
            found[name] = {"description": SECTION_DOCS[inside], **_section(inside), **_short(inside)}
        else:
            found[name] = {**_described(key), **_value(key)}
    return found


def _short(section: str) -> dict[str, Any]:
    """One word in place of the section. Said by a pattern, which does not concern the mapping."""
    if section not in SHORT:
        return {}
    words = _value(BY_PATH[f"{section}.{SHORT[section]}"])["enum"][:-1]  # without null
    if section in SHORT_LIST:
        argv = BY_PATH[f"{section}.{SHORT_LIST[section]}"].kind.schema
        more = {name: argv[name] for name in ("items", "additionalItems", "minItems")}
    else:
        more = {}
    message = f"must be a mapping or one of {', '.join(words)}"
    return {
        "type": ["object", "string", *(["array"] if more else []), "null"],
        "pattern": f"^({'|'.join(words)})$",
        "patternErrorMessage": message,
        "examples": [*words],
        **more,
    }


def _described(key: Key) -> dict[str, Any]:
    """Every key has a default: as a value, in words, or both where it depends on others."""
    default = default_of(key)
    in_words = key.default_text if " " in key.default_text or default is None else ""
    if default is None:  # a null here would stop the completion of yaml-language-server
        return {"description": f"{key.doc} Default: {in_words or 'none'}."}
    return {"description": f"{key.doc} Default: {in_words}." if in_words else key.doc, "default": default}


def _value(key: Key) -> dict[str, Any]:
    items = f"{key.path}[]"
    if key.kind in (AGENT, AGENT_OR_AUTO):  # with those that are installed here and now
        from ralph.agents.registry import names

        auto = [AUTO] if key.kind is AGENT_OR_AUTO else []
        return _or_null({**key.kind.schema, "enum": [*names(), *auto]})
    if key.path in NAMED:
        of_names = {"hats": f"^{NAME.pattern}$", "events": TOPIC.schema["pattern"]}[key.path]
        item = {**_section(NAMED[key.path]), "type": "object"}
        return {
            "type": ["object", "null"],
            "propertyNames": {"pattern": of_names},
            "additionalProperties": item,
        }
    if items not in LISTS:
        return _or_null(key.kind.schema)
    the_list = {"type": "array", "items": _item(items)}
    if key.path == "gates":
        the_list |= {"type": ["array", "string"], "examples": ["none"], **NO_GATES_SCHEMA}
    return _or_null(the_list)


def _item(section: str) -> dict[str, Any]:
    # An explicit null is as good as none. Said with `not`, so that editors do not offer the keys twice.
    exactly_one: list[dict[str, Any]] = [
        {"required": [name], "not": {"properties": {name: {"type": "null"}}}} for name in EITHER[section]
    ]
    found = _section(section)
    if section != GATE:
        return {**found, "type": "object", "oneOf": exactly_one}
    exactly_one = [{"type": "object", **one} for one in exactly_one]
    command = {**BY_PATH[f"{GATE}.run"].kind.schema, "type": "string"}
    return {**found, "type": ["object", "string"], "oneOf": [*exactly_one, command]}


def _or_null(fragment: dict[str, Any]) -> dict[str, Any]:
    """An explicit null asks for the default. A blank, which the loader refuses, looks the same to a schema."""
    types = fragment["type"]
    found = {**fragment, "type": [*([types] if isinstance(types, str) else types), "null"]}
    if "enum" in fragment:
        found["enum"] = [*fragment["enum"], None]
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return [*value] if isinstance(value, tuple) else value


def _accepts(kind: FieldType, value: Any) -> bool:
    """Whether the file may say this: the empty text that a field starts with often is no value for its key."""
    import json

    from ralph.config.yaml_lines import parse

    problems = Problems("")
    node = parse(json.dumps(value), problems)
    assert kind.read is not None and node is not None
    attempt(kind.read, node, Spot(problems, "", 0))
    return not problems.found
