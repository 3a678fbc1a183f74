"""What an agent asks of Ralph by a tool: who asks (the caller), whether the arguments fit the tool's schema, and the request
that is put into the inbox.

The caller's token is known to one iteration only. Without it nothing may be written, and the runner would refuse it anyway.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping

from ralph import files
from ralph.agent_tools import todos
from ralph.errors import RalphError
from ralph.journal import inbox

# -- the caller: an iteration, as the environment says -------------------------------------------


class Caller:
    def __init__(self, env: Mapping[str, str], cwd: str) -> None:
        self.env = env
        self.loop = env.get("RALPH_LOOP", "")
        self.task = env.get("RALPH_TASK", "")
        self.iteration = env.get("RALPH_ITERATION", "")
        self._state = env.get("RALPH_STATE", "")
        self._token = "" if "RALPH_GATE" in env else env.get("RALPH_TOKEN", "")
        self._scratchpad = env.get("RALPH_SCRATCHPAD", "")
        # The workspace's copy of the backlog, relative to its root; empty where it has none.
        self.backlog = env.get("RALPH_BACKLOG", "tasks.jsonl")
        self._cwd = cwd
        self.proposed: dict[str, list[str]] = {}  # the ids of tasks proposed so far, by the proposal's name

    @property
    def inside(self) -> bool:
        return bool(self._token and self._state and self.loop and self.task)

    def require(self) -> None:
        if not self.inside:
            raise RalphError(
                "refused: no iteration runs here (RALPH_TOKEN is not set), so no one would read it",
                todo="Only an agent inside `ralph run` can do this; a reviewer cannot. Continue without it.",
            )

    def tell(self, message: dict[str, object], name: str = "") -> None:
        """Put a message for the runner. Two with the same name, of this iteration, count as one."""
        self.require()
        whose = {"loop": self.loop, "token": self._token}
        inbox.put(
            f"{self._state}/inbox", {**message, **whose}, f"{_short(self._token)}-{name}" if name else ""
        )

    # -- places ------------------------------------------------------------------------------------

    @property
    def scratchpad(self) -> str:
        return self._scratchpad or f"{self._cwd}/.ralph/agent/scratchpad.md"

    @property
    def notes(self) -> str:
        """The folder of todos and memories, one for all hats and tasks: `agent` in the .ralph that holds the scratchpad.
        Where that is the user's own place, the nearest .ralph/agent of the workspace, else that of the folder itself."""
        before, inside, _ = f"{os.path.dirname(self._scratchpad)}/".rpartition("/.ralph/")
        if inside:
            return f"{before}/.ralph/agent"
        folder, root = os.path.realpath(self._cwd), self.root
        while folder != root and folder.startswith(f"{root}/"):
            if os.path.isdir(f"{folder}/.ralph/agent"):
                return f"{folder}/.ralph/agent"
            folder = os.path.dirname(folder)
        at_root = f"{root}/.ralph/agent"
        return at_root if os.path.isdir(at_root) else f"{self._cwd}/.ralph/agent"

    @property
    def memories(self) -> str:
        """The folder of memories. A task's workspace is given up after it, so that they are kept in the user's checkout."""
        return self.env.get("RALPH_MEMORIES") or self.notes

    @property
    def root(self) -> str:
        """The workspace: what holds the scratchpad and is a repository, else the folder where the agent works."""
        start = os.path.dirname(self._scratchpad) if self._scratchpad else self._cwd
        folder = os.path.realpath(start)
        while folder != os.path.dirname(folder):
            if os.path.lexists(f"{folder}/.git") or os.path.isdir(f"{folder}/.ralph/repository"):
                return folder
            folder = os.path.dirname(folder)
        return os.path.realpath(self._cwd)

    def find(self, name: str) -> str:
        """A file of the workspace by a path that an agent gave, relative to the root. Must exist and lie inside."""
        root = self.root
        for base in (self._cwd, root):
            path = os.path.realpath(os.path.join(base, name))
            if path.startswith(f"{root}/") and os.path.exists(path):
                return os.path.relpath(path, root)
        raise RalphError(
            f"there is no file {name!r} in the workspace {root}",
            todo="Name files that exist inside it, relative to it; leave out what you did not make.",
        )


def _short(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def digest(message: object) -> str:
    """The same content always has the same name, so that a call made twice counts once."""
    return _short(json.dumps(message, sort_keys=True))


# -- the arguments -------------------------------------------------------------------------------

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
        return _check_text(schema, value, at)
    if isinstance(value, list):
        return _list(schema, value, at)
    if isinstance(value, dict):
        return _object(schema, value, f"{at}.")
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(value, int) and isinstance(low, int) and isinstance(high, int) and not low <= value <= high:
        return [f"`{at}` must be from {low} to {high}"]
    return []


def _check_text(schema: Schema, value: str, at: str) -> list[str]:
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


Arguments = dict[str, object]
ASKS = "human.interact"  # the topic by which an iteration asks a person
_LISTED = 100
_SHOWN = 300  # characters of one task in the list


def complete(caller: Caller, arguments: Arguments) -> str:
    _own(caller, text(arguments, "taskId"))
    artifacts = [caller.find(name) for name in texts(arguments, "artifactPaths")]
    claim: dict[str, object] = {
        "kind": "claim",
        "summary": text(arguments, "summary"),
        "evidence": text(arguments, "promiseEvidence"),
        "artifacts": artifacts,
    }
    caller.tell(claim, f"claim-{digest(claim)}")
    return (
        "Your claim is recorded. It completes nothing by itself: Ralph's gates decide once this iteration has ended. "
        "Change nothing more and end with TASK_COMPLETE; ITERATION_DONE or TASK_STUCK would take the claim back."
    )


def emit(caller: Caller, arguments: Arguments) -> str:
    topic = text(arguments, "topic").strip()
    if any(c.isspace() for c in topic):
        raise RalphError(
            f"{topic!r} is no topic", todo="A topic is one word, such as build.done; the rest is the payload."
        )
    if why := inbox.refusal(topic, caller.env):
        raise RalphError(why, todo="Emit one of those, or nothing.")
    caller.tell({"kind": "event", "topic": topic, "payload": text(arguments, "payload")})
    return f"The event {topic} is handed to the loop."


def ask(caller: Caller, arguments: Arguments) -> str:
    payload = text(arguments, "question").strip()
    default, deadline = text(arguments, "default").strip(), number(arguments, "deadlineSeconds", 0)
    if default or deadline:
        asked = {"question": payload, "default": default or None, "deadline_seconds": deadline}
        payload = json.dumps({name: value for name, value in asked.items() if value}, ensure_ascii=False)
    caller.tell({"kind": "event", "topic": ASKS, "payload": payload})
    late = ", or with your default when no one answers in time" if default and deadline else ""
    return (
        "The question is recorded. No answer comes in this iteration: the loop stops when it has ended and continues "
        f"with a person's answer{late}. Write the scratchpad now, and end."
    )


def add(caller: Caller, arguments: Arguments) -> str:
    return _propose(caller, "add", "", [arguments])


def split(caller: Caller, arguments: Arguments) -> str:
    parent = text(arguments, "taskId")
    _own(caller, parent)
    return _propose(caller, "split", parent, objects(arguments, "tasks"))


def tasks(caller: Caller, arguments: Arguments) -> str:
    at = f", iteration {caller.iteration} of loop {caller.loop}" if caller.inside else ""
    head = f"Current task: {caller.task}{at}." if caller.task else "No loop runs here."
    if not caller.backlog:
        return f"{head}\nThe list of tasks is kept outside of the workspace."
    path = f"{caller.root}/{caller.backlog}"
    if not os.path.exists(path):
        return f"{head}\nThe workspace has no {caller.backlog}."
    found, strange = todos.parse(files.read(path))
    counts: dict[str, int] = {}
    for task in found:
        counts[_status(task)] = counts.get(_status(task), 0) + 1
    counted = ", ".join(f"{n} {status}" for status, n in sorted(counts.items())) or "empty"
    wanted = [task for task in found if _wanted(task, text(arguments, "status"), text(arguments, "under"))]
    lines = [head, f"{caller.backlog}: {counted}" + (f"; {strange} lines are no tasks" if strange else "")]
    lines += [_line(task) for task in wanted[:_LISTED]]
    if len(wanted) > _LISTED:
        lines.append(f"[{len(wanted) - _LISTED} more; narrow it by `status` or `under`]")
    return "\n".join(lines)


def _own(caller: Caller, task: str) -> None:
    caller.require()
    if task != caller.task:
        raise RalphError(
            f"refused: {task!r} is not the task of this loop", todo=f"Call it with taskId {caller.task!r}."
        )


def _propose(caller: Caller, how: str, parent: str, wanted: list[Arguments]) -> str:
    caller.require()
    proposed: list[dict[str, object]] = []
    for task in wanted:
        title, description = text(task, "title").strip(), text(task, "description")
        proposed.append({"title": title, "description": description, "criteria": texts(task, "criteria")})
    name = f"{how}-{digest(proposed)}"
    for task, id in zip(
        proposed, caller.proposed.get(name) or _new_ids(caller, parent, proposed), strict=True
    ):
        task["id"] = id
    caller.tell({"kind": "task", "how": how, "parent": parent, "tasks": proposed}, name)
    caller.proposed[name] = [str(task["id"]) for task in proposed]
    listed = "\n".join(f"- {task['id']}: {task['title']}" for task in proposed)
    then = f"Unless you claim {parent} and it is proven, they replace it: end now." if how == "split" else ""
    return (
        "Proposed. Ids may become others, should these be taken; whether and when they are worked on is not yours "
        f"to decide. {then or f'Continue with {caller.task}.'}\n{listed}"
    )


def _new_ids(caller: Caller, parent: str, proposed: list[Arguments]) -> list[str]:
    listed = files.read(f"{caller.root}/{caller.backlog}") if caller.backlog else ""
    known = {str(task["id"]) for task in todos.parse(listed)[0]}
    known.update(id for ids in caller.proposed.values() for id in ids)
    found = []
    for task in proposed:
        found.append(_child(parent, known) if parent else _slug(str(task["title"]), known))
        known.add(found[-1])
    return found


def _child(parent: str, known: set[str]) -> str:
    n = 1
    while f"{parent}.{n}" in known:
        n += 1
    return f"{parent}.{n}"


def _slug(title: str, known: set[str]) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:48].rstrip("-") or "task"
    name, n = slug, 1
    while name in known:
        n += 1
        name = f"{slug}-{n}"
    return name


_ALIASES = {"active": "in_progress", "completed": "complete"}


def _status(task: Arguments) -> str:
    status = task.get("status", "pending")
    return _ALIASES.get(status, status) if isinstance(status, str) else "pending"


def _wanted(task: Arguments, status: str, under: str) -> bool:
    inside = not under or str(task["id"]).startswith(f"{under.rstrip('.')}.")
    return inside and (not status or _status(task) == _ALIASES.get(status, status))


def _line(task: Arguments) -> str:
    shown = {name: task[name] for name in ("id", "title", "status", "leaf") if name in task}
    line = json.dumps(shown, ensure_ascii=False)
    return line if len(line) <= _SHOWN else line[:_SHOWN] + " [cut]"
