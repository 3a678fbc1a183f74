"""`ralph emit` and `ralph scratchpad`, and the scratchpad's format, which the tool `write_scratchpad` uses too."""

from __future__ import annotations

import os
import sys

from ralph import files

_FORM = """# Iteration {n} Scratchpad

## Done this iteration
{done}

## Test status
{test_status}

## Next step
{next_step}

## Blockers
{blockers}
"""


def write(path: str, n: str, *, done: str, test_status: str, next_step: str, blockers: str) -> None:
    files.replace(
        path, _FORM.format(n=n, done=done, test_status=test_status, next_step=next_step, blockers=blockers)
    )


EMIT_HELP = """Usage: ralph emit TOPIC [PAYLOAD] [--json]

Hand an event to the loop that runs here. Inside an iteration it belongs to that iteration, and to its hat: what the hat
may not publish is refused. With --json the payload must be JSON.
The topic `human.interact` asks a person: the loop ends as blocked-on-person with PAYLOAD as its question.
As {"question": ..., "default": ..., "deadline_seconds": ...} it is waited for, until the deadline; then the default holds.

Examples:
  ralph emit human.interact "Which database shall I use?"
  ralph emit human.interact --json '{"question": "Which port?", "default": "8080", "deadline_seconds": 600}'
"""
SCRATCHPAD_HELP = """Usage: ralph scratchpad --done TEXT --test-status TEXT --next-step TEXT --blockers TEXT

Write the scratchpad that the next iteration reads; only inside an iteration, whose number is filled in.

Example:
  ralph scratchpad --done "parser reads dates" --test-status "12 pass, 1 fails: test_leap" \\
    --next-step "leap years" --blockers none
"""
_FIELDS = ("done", "test_status", "next_step", "blockers")


def serve(arguments: list[str]) -> int:
    if "--help" in arguments or "-h" in arguments:
        print(EMIT_HELP if arguments[0] == "emit" else SCRATCHPAD_HELP, end="")
        return 0
    try:
        return _emit(arguments[1:]) if arguments[0] == "emit" else _scratchpad(arguments[1:])
    except OSError as error:
        print(f"ralph {arguments[0]}: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except ValueError as error:
        print(f"ralph {arguments[0]}: {error}", file=sys.stderr)
        return 2


def _emit(arguments: list[str]) -> int:
    as_json = [argument for argument in arguments if argument in ("--json", "-j")]
    arguments = [argument for argument in arguments if argument not in ("--json", "-j")]
    if not 1 <= len(arguments) <= 2 or not arguments[0].strip() or arguments[0].startswith("-"):
        raise ValueError("give a TOPIC and, if there is more to say, one PAYLOAD; see `ralph emit --help`")
    from ralph.journal import inbox
    from ralph.journal import inbox as scope
    from ralph.journal.inbox import require_run, state_dir

    if as_json and len(arguments) > 1:
        import json

        try:
            json.loads(arguments[1])
        except ValueError as error:
            raise ValueError(f"--json: the payload is not JSON: {error}") from error
    if why := scope.refusal(arguments[0], os.environ):
        raise ValueError(why)
    message: dict[str, object] = {
        "kind": "event",
        "topic": arguments[0],
        "payload": arguments[1] if len(arguments) > 1 else "",
    }
    folder = state_dir()
    if "RALPH_GATE" in os.environ:
        raise ValueError("a gate emits no events; only agents and people do")
    if "RALPH_LOOP" in os.environ:
        message["loop"] = os.environ["RALPH_LOOP"]
        message["token"] = os.environ.get("RALPH_TOKEN", "")
    else:
        require_run(folder)
    inbox.put(f"{folder}/inbox", message)
    return 0


def _scratchpad(arguments: list[str]) -> int:
    values: dict[str, str] = {}
    waiting = ""
    for argument in arguments:
        if waiting:
            values[waiting], waiting = argument, ""
            continue
        name, equals, value = argument.removeprefix("--").partition("=")
        name = name.replace("-", "_")
        if not argument.startswith("--") or name not in _FIELDS:
            raise ValueError(f"unknown argument {argument!r}{_nearest(name)}; see `ralph scratchpad --help`")
        if equals:
            values[name] = value
        else:
            waiting = name
    missing = [f"--{name.replace('_', '-')}" for name in _FIELDS if not values.get(name, "").strip()]
    if missing:
        raise ValueError(f"missing: {', '.join(missing)}")
    if "RALPH_ITERATION" not in os.environ:
        raise ValueError("no iteration runs here, so no one would read it; agents call this inside one")

    path = os.environ.get("RALPH_SCRATCHPAD", ".ralph/agent/scratchpad.md")
    write(path, os.environ["RALPH_ITERATION"], **values)
    return 0


def _nearest(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, _FIELDS, 1)
    return f" (nearest: --{near[0].replace('_', '-')})" if near else ""
