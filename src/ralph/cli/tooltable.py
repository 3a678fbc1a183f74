"""The commands of `ralph tools`, as a table: what each takes, its help and an example. Standard library only."""

from __future__ import annotations

from ralph.cli.toolwords import Command, Option

_KINDS = ("pattern", "decision", "fix", "context")
_FORMAT = Option("format", "How it is shown; table if absent.", choices=("table", "json", "quiet"))
_SHOW = Option("format", "How it is shown; table if absent.", choices=("table", "json", "markdown", "quiet"))
_KIND = Option("type", "Only this type.", letter="t", choices=_KINDS)
_TAGS = Option("tags", "Only those with one of these tags.", value="TAGS")
_NEW_TODO = (
    Option("priority", "From 1, the highest, to 5; 3 if absent.", letter="p", value="N"),
    Option("description", "More about it.", letter="d", value="TEXT"),
    Option("blocked-by", "Ids of todos that must be closed first, with commas.", value="IDS"),
    _FORMAT,
)
COMMANDS = {
    command.name: command
    for command in (
        Command(
            "task add",
            "Add a todo; one that is open already is not doubled.",
            takes="TITLE",
            options=_NEW_TODO,
        ),
        Command(
            "task ensure",
            "Add a todo under a key of its own, or bring the one of that key up to date.",
            takes="TITLE",
            options=(Option("key", "A name that stays the same.", value="KEY"), *_NEW_TODO),
        ),
        Command(
            "task list",
            "Show the todos that are not over.",
            options=(
                Option("status", "Only open, in_progress, closed or failed.", letter="s", value="STATUS"),
                Option("days", "Only those added or closed in the last N days.", letter="d", value="N"),
                Option("limit", "At most N.", letter="l", value="N"),
                Option("all", "Also closed and failed ones.", letter="a"),
                _FORMAT,
            ),
        ),
        Command(
            "task ready",
            "Show the todos that can be worked on now: begun, or with nothing in their way.",
            options=(Option("all", "Also those of other loops.", letter="a"), _FORMAT),
        ),
        Command("task start", "Mark a todo as begun.", takes="ID"),
        Command("task close", "Mark a todo as done.", takes="ID"),
        Command("task fail", "Mark a todo as failed.", takes="ID"),
        Command("task reopen", "Mark a todo as open again.", takes="ID"),
        Command("task show", "Show one todo.", takes="ID", options=(_FORMAT,)),
        Command(
            "memory add",
            "Remember something for later iterations, tasks and runs.",
            takes="TEXT",
            options=(
                Option("type", "What it is; pattern if absent.", letter="t", choices=_KINDS),
                Option("tags", "Words to find it by, with commas.", value="TAGS"),
                _SHOW,
            ),
        ),
        Command(
            "memory list",
            "Show the memories, newest first.",
            options=(_KIND, _TAGS, Option("last", "Only the newest N.", value="N"), _SHOW),
        ),
        Command(
            "memory search",
            "Show the memories that hold all words of QUERY, in text or tags, newest first: ten at most.",
            takes="QUERY",
            needs=False,
            options=(_KIND, _TAGS, Option("all", "Not only ten."), _SHOW),
        ),
        Command("memory show", "Show one memory.", takes="ID", options=(_SHOW,)),
        Command("memory delete", "Forget one memory.", takes="ID"),
        Command(
            "memory prime",
            "Print memories for a prompt, section by section; where they are too many, the newest.",
            options=(
                Option("budget", "At most about N tokens; 0: all.", value="N"),
                Option("type", "Only these types, with commas.", letter="t", value="TYPES"),
                _TAGS,
                Option("recent", "Only those of the last N days.", value="N"),
                Option(
                    "format",
                    "How it is shown; markdown if absent.",
                    choices=("markdown", "json", "table", "quiet"),
                ),
            ),
        ),
        Command(
            "memory init",
            "Write an empty file of memories.",
            options=(Option("force", "Also over one that is there."),),
        ),
    )
}
EXAMPLES = {
    "task add": 'ralph tools task add "Write tests for dates" -p 2',
    "task ensure": 'ralph tools task ensure "Write tests" --key spec:tests -p 2',
    "task list": "ralph tools task list --status closed",
    "task ready": "ralph tools task ready --format json",
    "task show": "ralph tools task show task-1737372000-a1b2 --format json",
    "memory add": 'ralph tools memory add "Run make before the tests" -t fix --tags build,tests',
    "memory list": "ralph tools memory list -t decision",
    "memory search": 'ralph tools memory search "dates" --tags parser',
    "memory prime": "ralph tools memory prime --budget 2000",
    "memory init": "ralph tools memory init",
}
ELSEWHERE = {
    "interact": "to ask a person, `ralph emit human.interact QUESTION`; progress goes into the scratchpad",
    "skill": "read the skill's file",
}
READING = (
    "task list",
    "task ready",
    "task show",
    "memory list",
    "memory search",
    "memory show",
    "memory prime",
)
_SAMPLE = {"task": "task-1737372000-a1b2", "memory": "mem-1737372000-a1b2"}


def _list(group: str) -> str:
    mine = [command for name, command in COMMANDS.items() if name.startswith(group)]
    lines = []
    for command in mine:
        lines.append(f"  {command.usage.removeprefix('ralph tools ')}")
        lines += [f"      {command.about}", *(f"      {option.shown}" for option in command.options[:-1])]
    return "\n".join(lines)


def help_text(group: str = "") -> str:
    what = {
        "task": "The agent's own list of todos, .ralph/agent/tasks.jsonl.",
        "memory": "What later iterations should know, .ralph/agent/memories.md.",
    }.get(group, "The agent's todos (.ralph/agent/tasks.jsonl) and memories (.ralph/agent/memories.md).")
    shown = [
        EXAMPLES[name] for name in ("task add", "task ready", "memory add", "memory search") if group in name
    ]
    return (
        f"Usage: ralph tools {group or 'task|memory'} COMMAND [OPTIONS]\n\n{what}\n"
        "Todos are the agent's own notes; `ralph task` is the backlog. --root DIR names another folder than this one.\n\n"
        f"Commands:\n{_list(group)}\n\nExamples:\n" + "".join(f"  {line}\n" for line in shown)
    )


def command_help(command: Command) -> str:
    group = command.name.partition(" ")[0]
    return command.help(EXAMPLES.get(command.name) or f"ralph tools {command.name} {_SAMPLE[group]}")
