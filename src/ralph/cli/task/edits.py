"""What an agent asks of the backlog. It changes nothing itself: a completion is a claim, a new task a proposal."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from ralph.agent_tools.requests import Caller, digest
from ralph.backlog.changes import Added, Blocked, Change, Completed, Edited, Reopened, Split
from ralph.backlog.jsonl import JsonlBacklog, hint
from ralph.cli.fleet.options import of_server, refuse_without_server
from ralph.cli.task import view
from ralph.core.tasks.task import STATUSES, bad_id, next_child, next_top, parent_of, priority
from ralph.core.tasks.task import status as status_of
from ralph.errors import RalphError
from ralph.terminal.words import one_line
from ralph.text import few

_INSIDE = ("RALPH_TOKEN", "RALPH_GATE", "RALPH_LOOP")


def caller() -> Caller | None:
    """The iteration that calls; None for a person. Gates and reviewers are refused."""
    if not any(os.environ.get(name) for name in _INSIDE):
        return None
    found = Caller(os.environ, str(Path.cwd()))
    if not found.inside:
        raise RalphError(
            "only people and agents inside an iteration change the backlog; a gate or a reviewer does not",
            todo="Leave it; say what should be done in your output.",
        )
    return found


def refuse(what: str, todo: str) -> None:
    """For what is a person's to decide."""
    if caller() is not None:
        raise RalphError(f"an agent cannot {what}: that is for a person to decide", todo=todo)


def claim(agent: Caller, id: str, summary: str) -> str:
    from ralph.agent_tools.requests import complete

    text = summary or "said with `ralph task complete`"
    return complete(agent, {"taskId": id, "summary": text, "promiseEvidence": text})


def propose(
    agent: Caller, backlog: JsonlBacklog, how: str, parent: str, tasks: Sequence[dict[str, object]]
) -> list[str]:
    """Put them to the run; their ids, which it may still change."""
    if how == "split" and parent != agent.task:
        raise RalphError(
            f"{parent!r} is not the task of this loop", todo=f"Split {agent.task!r}, or add a task instead."
        )
    ids = [task.id for task in backlog.all()]
    proposed = []
    for task in tasks:
        id = str(task.get("id") or (next_child(parent, ids) if parent else next_top(ids)))
        ids.append(id)
        proposed.append({**task, "id": id})
    message: dict[str, object] = {"kind": "task", "how": how, "parent": parent, "tasks": proposed}
    agent.tell(message, f"{how}-{digest(proposed)}")
    return [str(task["id"]) for task in proposed]


_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_PROPOSED = (
    "Proposed. Its id may become another, should this one be taken; whether and when it is worked on is not yours "
    "to decide."
)


@click.command()
@click.argument("title")
@click.option("--id", "given", default="", help="Its id; otherwise the next free one.")
@click.option("--parent", default="", help="The task that it is a part of.")
@click.option("-d", "--description", default="", help="What someone needs to know to do it.")
@click.option("--criteria", multiple=True, help="An acceptance criterion; may be repeated.")
@click.option("--depends-on", multiple=True, help="A task that must be complete first; may be repeated.")
@click.option("--priority", "urgency", default=None, help="A number, 0 the most urgent; 2 if absent.")
@click.option("--type", "kind", default="", help="A word of your choice, such as bug or feature.")
@click.option(
    "--repository", default="", help="With --server: the repository it belongs to; one that the server knows."
)
@_json
@of_server
def add(
    title: str,
    given: str,
    parent: str,
    description: str,
    criteria: tuple[str, ...],
    depends_on: tuple[str, ...],
    urgency: str | None,
    kind: str,
    repository: str,
    as_json: bool,
    server: str,
) -> None:
    """Add a task. An agent's is a proposal.

    \b
    Examples:
      ralph task add "Write the parser"
      ralph task add "Leap years" --parent A --criteria "29 February is read" --depends-on A.1
      ralph task add "Leap years" --repository app --server http://127.0.0.1:3013
    """
    if not title.strip():
        raise RalphError("the title is empty", todo="Say what is to be done.")
    if server:
        from ralph.cli.task import at_server

        said = {"title": title.strip(), "description": description, "criteria": criteria, "type": kind}
        more = {"id": given, "parent": parent, "dependencies": list(depends_on), "repository": repository}
        at_server.add(server, {**said, **more, "priority": _number(urgency)}, as_json=as_json)
        return
    refuse_without_server(repository=repository)
    backlog = view.opened()
    if parent:
        backlog.find(parent)
    for other in depends_on:
        backlog.find(other)
    wanted = _given(title=title.strip(), description=description, criteria=list(criteria))
    if agent := caller():
        if depends_on or urgency is not None or kind:
            raise RalphError(
                "a proposal has a title, a description, criteria and a parent",
                todo="Leave out --depends-on, --priority and --type; a person sets them.",
            )
        ids = propose(agent, backlog, "add", parent, [{**wanted, "id": given}])
        _told({"proposed": ids}, f"{', '.join(ids)}: {_PROPOSED}", as_json)
        return
    id = _free_id(backlog, given, parent)
    fields: dict[str, object] = {"id": id, "title": wanted["title"], "status": "pending", "leaf": True}
    fields |= wanted
    if parent != parent_of(id):
        fields["parent"] = parent
    fields |= _given(priority=_number(urgency), type=kind, depends_on=list(depends_on))
    _change(backlog, as_json, f"{id}  {title}", Added(fields))


@click.command()
@click.argument("id")
@click.argument("titles", nargs=-1, required=True)
@_json
def split(id: str, titles: tuple[str, ...], as_json: bool) -> None:
    """Make a task a parent of smaller ones with these TITLES. An agent's is a proposal, for its own task only.

    \b
    Example:
      ralph task split A.1 "Read the header" "Read the rows"
    """
    backlog = view.opened()
    agent = caller()
    if agent is None or backlog.get(id):
        _refuse_done(backlog, id)
    for title in titles:
        if not title.strip():
            raise RalphError("a title is empty", todo="Say what is to be done in each part.")
    if agent:
        ids = propose(agent, backlog, "split", id, [{"title": title.strip()} for title in titles])
        _told({"proposed": ids}, f"{', '.join(ids)}: {_PROPOSED}", as_json)
        return
    again = (
        [Reopened(id)] if backlog.find(id).status != "pending" else []
    )  # no one works on it as a whole any more
    taken = [one.id for one in backlog.all()]
    children: list[dict[str, object]] = []
    for title in titles:
        taken.append(next_child(id, taken))
        children.append({"id": taken[-1], "title": title.strip(), "status": "pending", "leaf": True})
    shown = ", ".join(str(child["id"]) for child in children)
    _change(backlog, as_json, f"{id} is split into {shown}", Split(id, tuple(children)), *again)


@click.command()
@click.argument("id")
@click.option("--commit", default="", help="The commit that did it.")
@click.option("--summary", default="", help="What was done; part of an agent's claim.")
@_json
def complete(id: str, commit: str, summary: str, as_json: bool) -> None:
    """Say that a task is done. A person's word completes it, marked as not verified; an agent's is a claim, which the
    gates decide on.

    \b
    Example:
      ralph task complete A.1
    """
    backlog = view.opened()
    if agent := caller():
        _told({"claimed": id}, claim(agent, id, summary), as_json)
        return
    _refuse_done(backlog, id)
    if not backlog.tasks.is_leaf(id) and backlog.tasks.children(id):
        raise RalphError(
            f"{id} has parts; it is complete when they are",
            where=backlog.path.name,
            todo="Complete them: " + ", ".join(child.id for child in backlog.tasks.children(id)),
        )
    _change(backlog, as_json, f"{id} is complete, unverified", Completed(id, commit, False, summary))


@click.command()
@click.argument("id")
@click.argument("reason", required=False, default="")
@_json
def block(id: str, reason: str, as_json: bool) -> None:
    """Keep a task, and all below it, from being worked on.

    \b
    Example:
      ralph task block A.1 "waits for the new API"
    """
    refuse("block a task", "End with TASK_STUCK and the reason.")
    backlog = view.opened()
    _refuse_done(backlog, id)
    _change(backlog, as_json, f"{id} is blocked", Blocked(id, reason))


@click.command()
@click.argument("id")
@_json
@of_server
def reopen(id: str, as_json: bool, server: str) -> None:
    """Have a task worked on again: one that failed, is blocked, cancelled, in progress or complete.

    \b
    Example:
      ralph task reopen A.1
    """
    refuse("reopen a task", "Add a task that says what is left to do.")
    if server:
        from ralph.cli.task import at_server

        at_server.reopen(server, id, as_json=as_json)
        return
    backlog = view.opened()
    backlog.find(id)
    _change(backlog, as_json, f"{id} is pending", Reopened(id))


@click.command()
@click.argument("ids", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Accept every task that waits.")
@_json
@of_server
def accept(ids: tuple[str, ...], everything: bool, as_json: bool, server: str) -> None:
    """Accept tasks that agents proposed and that wait for your approval. With --server also: accept what a task that needs
    review has changed.

    \b
    Examples:
      ralph task accept B.2
      ralph task accept --all
    """
    refuse("accept a task", "A person decides on it.")
    backlog = view.opened(server)
    waiting = [one.id for one in backlog.all() if one.is_unaccepted]
    if everything == bool(ids):
        raise RalphError(
            "say which tasks, or --all",
            todo=f"Waiting: {few(waiting)}." if waiting else "None waits to be accepted.",
        )
    if server:
        from ralph.cli.task import at_server

        at_server.accept(server, ids or tuple(waiting), as_json=as_json)
        return
    for id in ids:
        if not backlog.find(id).is_unaccepted:
            raise RalphError(f"{id} does not wait to be accepted", todo=f"Waiting: {few(waiting) or 'none'}.")
    chosen = list(ids) or waiting
    told = f"accepted: {few(chosen)}" if chosen else "none waits to be accepted"
    _change(backlog, as_json, told, *(Reopened(id) for id in chosen))


@click.command()
@click.argument("id")
@click.option("--title", default=None, help="What is to be done.")
@click.option(
    "-d",
    "--description",
    default=None,
    help="The description. An empty value removes a field; so with the other options.",
)
@click.option("--criteria", multiple=True, help="The criteria, replacing the current ones; may be repeated.")
@click.option(
    "--depends-on",
    multiple=True,
    help="Tasks that must be complete first, replacing the current ones; may be repeated.",
)
@click.option("--priority", "urgency", default=None, help="A number, 0 the most urgent.")
@click.option("--type", "kind", default=None, help="A word of your choice.")
@click.option("--status", "word", default=None, help="One of: " + ", ".join(STATUSES) + ".")
@_json
@of_server
def edit(
    id: str,
    title: str | None,
    description: str | None,
    criteria: tuple[str, ...],
    depends_on: tuple[str, ...],
    urgency: str | None,
    kind: str | None,
    word: str | None,
    as_json: bool,
    server: str,
) -> None:
    """Change fields of a task; all others, and the other lines, stay as they are.

    \b
    Examples:
      ralph task edit A.1 --priority 0
      ralph task edit A.1 --status cancelled
    """
    refuse("edit a task", "Add a task, or say it in the scratchpad.")
    backlog = view.opened(server)
    if not server:
        _refuse_done(backlog, id)
    fields: dict[str, object] = {}
    if title is not None:
        if not title.strip():
            raise RalphError("the title is empty", todo="Say what is to be done.")
        fields["title"] = title.strip()
    if description is not None:
        fields["description"] = description or None
    if criteria:
        fields["criteria"] = [one for one in criteria if one] or None
    if depends_on:
        for other in depends_on:
            backlog.find(other) if other else None
        fields["depends_on"] = [one for one in depends_on if one] or None
    if urgency is not None:
        fields["priority"] = _number(urgency)
    if kind is not None:
        fields["type"] = kind or None
    if word is not None:
        if known_status(word) == "complete":
            raise RalphError("completing is more than an edit", todo=f"Use `ralph task complete {id}`.")
        fields["status"] = known_status(word)
    if not fields:
        raise RalphError("there is nothing to change", todo="Name a field, e.g. --title; see --help.")
    if server:
        from ralph.cli.task import at_server

        at_server.edit(server, id, fields, as_json=as_json)
        return
    _change(backlog, as_json, f"{id} is changed", Edited(id, fields))


# -- parts ---------------------------------------------------------------------------------------------


def _change(backlog: JsonlBacklog, as_json: bool, done: str, *changes: Change) -> None:
    ids = [getattr(change, "id", "") for change in changes]
    for change in changes:
        match change:
            case Added(fields):
                ids.append(str(fields["id"]))
            case Split(parent, children):
                ids += [parent, *(str(child["id"]) for child in children)]
    known = {problem.what for problem in backlog.problems()}
    backlog.note(*changes)
    if new := [p for p in backlog.problems() if p.what not in known and p.kind != "line"]:
        raise RalphError(new[0].what, where=backlog.path.name, todo="Nothing was changed.")
    view.write(backlog)
    found = [one for id in dict.fromkeys(ids) if id and (one := backlog.get(id))]
    _told({"tasks": [view.as_json(backlog, one) for one in found]}, done, as_json)


def _told(value: object, text: str, as_json: bool) -> None:
    if as_json:
        view.echo_json(value)
    else:
        click.echo(one_line(text))


def _refuse_done(backlog: JsonlBacklog, id: str) -> None:
    if backlog.find(id).archived:
        raise RalphError(
            f"{id} is complete already",
            where=f"{backlog.done_path.name}:{backlog.line(id)}",
            todo=f"`ralph task reopen {id}` brings it back.",
        )


def _given(**fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value not in ("", [], None)}


def _free_id(backlog: JsonlBacklog, given: str, parent: str) -> str:
    ids = [one.id for one in backlog.all()]
    free = next_child(parent, ids) if parent else next_top(ids)
    if not given:
        return free
    if why := bad_id(given):
        raise RalphError(why, todo=f"For example: --id {free}")
    if one := backlog.get(given):
        where = f"{(backlog.done_path if one.archived else backlog.path).name}:{backlog.line(given)}"
        raise RalphError(f"there is a task {given} already", where=where, todo=f"The next free id is {free}.")
    above = parent or parent_of(given)
    if above and backlog.get(above) is None:
        raise RalphError(
            f"there is no task {above}, the parent of {given}",
            where=backlog.path.name,
            todo=hint(above, ids) or f"Add it first, or take {free}.",
        )
    return given


def _number(told: str | None) -> float | int | None:
    try:
        found = priority(told)
    except ValueError as error:
        raise RalphError(f"--priority: {error}", todo="Give a number, 0 the most urgent.") from None
    return int(found) if found is not None and found == int(found) else found


def known_status(word: str) -> str:
    try:
        return status_of(word)
    except ValueError:
        near = hint(word, STATUSES)
        raise RalphError(f"--status: unknown status {word!r}", todo=near or f"Valid: {', '.join(STATUSES)}.")


CHANGES = (add, split, complete, block, reopen, accept, edit)
