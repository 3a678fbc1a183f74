"""The MCP tools: names, what a model reads about each, schemas, and their functions. Every character here is in each prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ralph.agent_tools import requests
from ralph.agent_tools.requests import Arguments, Caller, Schema, check, number, plain, text, texts
from ralph.errors import RalphError

Handler = Callable[[Caller, Arguments], str]


class Tool:
    def __init__(
        self, do: Handler, about: str, properties: Schema, required: list[str], *, reads: bool = False
    ) -> None:
        self.do = do
        self.about = about
        self.schema: Schema = {"type": "object", "properties": properties, "required": required}
        self.reads = reads  # changes nothing, so anyone may call it


class UnknownTool(Exception):
    """There is no tool of this name."""


class McpTools:
    """The tools that this iteration may use: all, or those that RALPH_TOOLS names."""

    def __init__(self, caller: Caller, env: Mapping[str, str]) -> None:
        self.caller = caller
        named = env.get("RALPH_TOOLS")
        allowed = None if named is None else {name.strip() for name in named.split(",")}
        self.names = [name for name in TOOLS if allowed is None or name in allowed]
        self.strange = sorted(name for name in (allowed or ()) if name and name not in TOOLS)

    def listed(self) -> list[dict[str, object]]:
        return [
            {
                "name": name,
                "description": TOOLS[name].about,
                "inputSchema": TOOLS[name].schema,
                "annotations": {
                    "readOnlyHint": TOOLS[name].reads,
                    "destructiveHint": False,
                    "openWorldHint": False,
                },
            }
            for name in self.names
        ]

    def call(self, name: str, arguments: Arguments) -> tuple[str, bool]:
        """What the model is told, and whether it went wrong."""
        if name not in TOOLS:
            raise UnknownTool(name)
        try:
            return plain(self._call(name, TOOLS[name], arguments)), False
        except RalphError as error:
            return plain(str(error)), True
        except OSError as error:
            what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
            return plain(
                f"{what}\nNothing was recorded. Correct the cause, or continue without this tool."
            ), True
        except ValueError as error:
            return plain(f"{error}\nNothing was recorded. Correct this and call the tool again."), True

    def _call(self, name: str, tool: Tool, arguments: Arguments) -> str:
        asks = name == "emit_event" and text(arguments, "topic").strip() == "human.interact"
        for needed in (name, "ask_human") if asks else (name,):
            if needed not in self.names:
                raise RalphError(
                    f"refused: {needed} is not among the tools of this iteration",
                    todo=f"You have {', '.join(self.names) or 'none'}. Continue without it.",
                )
        if not tool.reads:
            self.caller.require()
        check(tool.schema, arguments)
        return tool.do(self.caller, arguments)


# -- handlers: what is not asked for is not imported ---------------------------------------------------


def _scratchpad(caller: Caller, arguments: Arguments) -> str:
    from ralph.agent_tools import emit as scratchpad

    scratchpad.write(
        caller.scratchpad,
        caller.iteration,
        done=text(arguments, "done"),
        test_status=text(arguments, "testStatus"),
        next_step=text(arguments, "nextStep"),
        blockers=text(arguments, "blockers"),
    )
    return "The scratchpad is written; the next iteration reads it."


def _add_todo(caller: Caller, arguments: Arguments) -> str:
    from ralph.agent_tools import todos

    todo, new = todos.add(
        caller.notes,
        text(arguments, "title").strip(),
        description=text(arguments, "description").strip(),
        priority=number(arguments, "priority", 3),
        blocked_by=texts(arguments, "blockedBy"),
        loop=caller.loop,
    )
    known = "" if new else " already"
    return f"{todo['id']} is open{known} in {caller.notes}/{todos.NAME}; `ralph tools task close {todo['id']}` closes it."


def _add_memory(caller: Caller, arguments: Arguments) -> str:
    from ralph.agent_tools import memories

    tags = [tag.strip() for tag in texts(arguments, "tags")]
    name, new = memories.add(
        caller.memories, text(arguments, "content"), text(arguments, "type", "pattern"), tags
    )
    return f"Remembered as {name}." if new else f"Known already, as {name}; nothing was added."


def _search_memories(caller: Caller, arguments: Arguments) -> str:
    from ralph.agent_tools import memories

    found = memories.search(caller.memories, text(arguments, "query").split(), text(arguments, "type"))
    shown, room = list[str](), 20_000
    for memory in found[: number(arguments, "limit", 10)]:
        room -= len(memories.shown(memory))
        if room < 0:
            break
        shown.append(memories.shown(memory))
    more = len(found) - len(shown)
    tail = [f"[{more} older ones left out; use more words or a higher limit]"] if more else []
    return "\n\n".join([*shown, *tail]) or "No memory matches."


# -- the table -----------------------------------------------------------------------------------------


def _text(about: str, least: int = 1) -> Schema:
    return {"type": "string", "description": about, "minLength": least}


def _texts(about: str, most: int = 50) -> Schema:
    return {
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "maxItems": most,
        "description": about,
    }


_KIND: Schema = {"type": "string", "enum": ["pattern", "decision", "fix", "context"]}
_TASK: Schema = {
    "title": _text("What to do, in one line"),
    "description": {"type": "string", "description": "Details that someone without your context needs"},
    "criteria": _texts("When it is done: statements that can be checked"),
}

TOOLS: dict[str, Tool] = {
    "write_scratchpad": Tool(
        _scratchpad,
        "Write the scratchpad: all that the next iteration will know of this one. Replaces what is there.",
        {
            "done": _text("What you completed in this iteration"),
            "testStatus": _text("Test results: pass or fail, with the key output"),
            "nextStep": _text("What the next iteration should do"),
            "blockers": _text("What is in the way, or 'none'"),
        },
        ["done", "testStatus", "nextStep", "blockers"],
    ),
    "ralph-complete": Tool(
        requests.complete,
        "Claim that the task is complete. Only a claim: Ralph then runs its own gates on your tree, and only they "
        "complete the task. Call it after you saw the whole test suite pass.",
        {
            "taskId": _text("The task of this loop"),
            "summary": _text("What was accomplished", 10),
            "promiseEvidence": _text("What you ran and saw that proves it", 10),
            "artifactPaths": _texts("Key files you made or changed, relative to the workspace", 200),
        },
        ["taskId", "summary", "promiseEvidence"],
    ),
    "emit_event": Tool(
        requests.emit,
        "Hand an event to the loop, which routes it.",
        {"topic": _text("One word, such as build.done"), "payload": {"type": "string"}},
        ["topic"],
    ),
    "ask_human": Tool(
        requests.ask,
        "Ask a person something only they can decide or provide. The loop stops after this iteration until answered.",
        {
            "question": _text("The question, with what is needed to answer it"),
            "default": _text("What you will do when no one answers in time"),
            "deadlineSeconds": {
                "type": "integer",
                "minimum": 1,
                "maximum": 86400,
                "description": "How long an answer is waited for; then your default holds",
            },
        },
        ["question"],
    ),
    "add_task": Tool(
        requests.add,
        "Propose a new task for later: work you found that is not part of yours.",
        _TASK,
        ["title"],
    ),
    "split_task": Tool(
        requests.split,
        "Propose to split this loop's task, when it is too large, into smaller ones that together make it up.",
        {
            "taskId": _text("The task of this loop"),
            "tasks": {
                "type": "array",
                "minItems": 2,
                "maxItems": 50,
                "items": {"type": "object", "properties": _TASK, "required": ["title"]},
            },
        },
        ["taskId", "tasks"],
    ),
    "list_tasks": Tool(
        requests.tasks,
        "The current task, and those of the workspace's copy of the backlog.",
        {
            "status": {"type": "string", "description": "Only these, such as pending"},
            "under": {"type": "string", "description": "Only tasks below this id"},
        },
        [],
        reads=True,
    ),
    "add_todo": Tool(
        _add_todo,
        "Add a line to your own list, which later iterations see.",
        {
            "title": _text("What to do"),
            "description": {"type": "string"},
            "priority": {
                "type": "integer",
                "minimum": 1,
                "maximum": 5,
                "description": "1 is highest; 3 if absent",
            },
            "blockedBy": _texts("Ids of todos that must be closed first"),
        },
        ["title"],
    ),
    "add_memory": Tool(
        _add_memory,
        "Remember something that later iterations and tasks should know.",
        {
            "content": _text("The lesson, in a few lines"),
            "type": {
                **_KIND,
                "description": "pattern: how this code does things (if absent); decision: why; fix: what solved a "
                "problem; context: facts",
            },
            "tags": _texts("Words to find it by", 20),
        },
        ["content"],
    ),
    "search_memories": Tool(
        _search_memories,
        "Find memories that hold all the given words, newest first; without words, the newest.",
        {
            "query": {"type": "string"},
            "type": _KIND,
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "description": "10 if absent"},
        },
        [],
        reads=True,
    ),
}
