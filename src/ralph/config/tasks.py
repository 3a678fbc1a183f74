"""What a run works on: the task of a prompt, wherever it was given, or the backlog and how it is worked through."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from msgspec.structs import replace

from ralph.config.problems import Problems, quoted_path
from ralph.config.resolve import gates_of
from ralph.config.schema import BY_PATH, field_default
from ralph.config.settings import Overrides, Settings, fields, read_settings
from ralph.core.policy import GatePolicy, LandPolicy, Policy, Task
from ralph.core.run import Work
from ralph.errors import RalphError
from ralph.files import located, read_text

DEFAULT_PROMPT_FILE = "PROMPT.md"
MAX_TITLE = 80
MAX_SLUG = 40


def task(settings: Settings, overrides: Overrides, cwd: Path, *, to_come: bool = False) -> Task | None:
    """None when there is no prompt anywhere, or the backlog is asked for; a title alone is a prompt. `to_come`: a file of
    it that is named may not be there yet, since a run can be given another prompt."""
    _refuse_two_prompts(settings)
    if wants_backlog(settings, overrides):
        return None
    own = fields(settings.values, "task")
    prompt = _prompt(settings, overrides, cwd, to_come) or own.get("title", "")
    if not prompt:
        return None
    own["description"] = prompt
    own.setdefault("title", title_of(prompt))
    own.setdefault("id", slug(own["title"]))
    if overrides.task_id is not None:
        own["id"] = overrides.task_id
    if overrides.criteria:
        own["criteria"] = overrides.criteria
    return Task(**own)


def title_of(prompt: str) -> str:
    """The first line that says anything, without a heading's marks."""
    for line in prompt.splitlines():
        printable = "".join(character if character.isprintable() else " " for character in line)
        title = " ".join(printable.strip(" #").split())
        if any(character.isalnum() for character in title):
            return title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1] + "…"
    return "task"


def slug(title: str) -> str:
    """Safe as part of a ref, as a path and as an argument, whatever the title."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:MAX_SLUG].rstrip("-") or "task"


def _prompt(settings: Settings, overrides: Overrides, cwd: Path, to_come: bool) -> str:
    """The command line before the file, the file before PROMPT.md."""
    if overrides.prompt is not None:
        return overrides.prompt
    if file := prompt_file(settings, overrides, cwd):
        if to_come and file[1] in settings.values and not os.path.lexists(file[0]):
            what = f"no prompt: {quoted_path(file[0])} does not exist; write it, or give a prompt with -p"
            settings.warn(file[1], what)
            return ""
        return _from_file(*file, settings)
    return _text_in_settings(settings)


def prompt_file(settings: Settings, overrides: Overrides, cwd: Path) -> tuple[Path, str] | None:
    """The file that holds the prompt, and what named it; None when the prompt is not in a file."""
    if overrides.prompt is not None or wants_backlog(settings, overrides):
        return None
    if overrides.prompt_file is not None:
        return cwd / overrides.prompt_file, "-P"
    if _text_in_settings(settings):
        return None
    if named := settings.get("event_loop.prompt_file"):
        return located(named, settings.folder), "event_loop.prompt_file"
    default = cwd / DEFAULT_PROMPT_FILE
    return (default, DEFAULT_PROMPT_FILE) if os.path.lexists(default) else None


def _text_in_settings(settings: Settings) -> str:
    return str(settings.get("task.description") or settings.get("event_loop.prompt") or "")


def _refuse_two_prompts(settings: Settings) -> None:
    paths = ("event_loop.prompt", "event_loop.prompt_file", "task.description")
    given = [path for path in paths if path in settings.values]
    if settings.older and settings.get(paths[1]) == DEFAULT_PROMPT_FILE and len(given) > 1:
        given.remove(paths[1])  # the default, written out
    first, *others = given or [""]
    for path in others:
        settings.wrong(path, f"the prompt is already given by {first}; remove one of them")
    for path in (first, "task.title") if "backlog" in settings.values else ():
        if path in settings.values:
            settings.wrong(path, "`backlog` names the tasks already; remove one of them")


def _from_file(path: Path, named_by: str, settings: Settings) -> str:
    try:
        text = read_text(path)
        if not text.strip():
            raise RalphError("is empty")
    except RalphError as error:
        what = f"the prompt file {quoted_path(path)} {error.what}"
        if named_by in settings.values:
            settings.wrong(named_by, what)
        else:
            settings.problems.add_outside(named_by, what)
        return ""
    return text


_OF_TASKS = (
    "parallel",
    "poll_interval_seconds",
    "gate_concurrency",
    "at_end",
    "land.target",
    "land.merges",
)
_UNUSED = "is used only for a backlog; a prompt that is worked on in place stays there"
_NOT_HERE = "is not for a backlog yet: each task needs its own workspace; use clone or worktree"


def wants_backlog(settings: Settings, overrides: Overrides) -> bool:
    """Whether PROMPT.md is not the task, because the backlog is named. A prompt on the command line wins over the file."""
    prompt = overrides.prompt is not None or overrides.prompt_file is not None
    return bool(overrides.backlog) or ("backlog" in settings.values and not prompt)


def backlog_file(settings: Settings, usual: Path | None) -> Path | None:
    """The named one, or the one that is in its usual place."""
    named = settings.get("backlog")
    return located(named, settings.folder) if named else usual


def backlog_named_in(config: Path) -> Path | None:
    """The backlog that a configuration names, whatever else may be wrong with it."""
    problems = Problems(config.name)
    settings = Settings(config.parent, read_settings(read_text(config), problems), problems)
    if problems.concern("backlog"):
        problems.raise_if_any()
    return backlog_file(settings, None)


def backlog_work(settings: Settings, overrides: Overrides, cwd: Path) -> Work:
    return Work(**fields(settings.values, "work"), at_end=_at_end(settings, overrides, cwd))


def _at_end(settings: Settings, overrides: Overrides, cwd: Path) -> tuple[GatePolicy, ...]:
    """Reviewers like those of `gates`, but always soft."""
    found = gates_of(settings.get("at_end") or (), settings, overrides, cwd)
    if found and settings.get("land.how") not in (None, "merge"):
        settings.warn(
            "at_end", "no reviewer is asked: they look at what lands on the target, and here nothing does"
        )
    return tuple(replace(gate, hard=False, hermetic=False) for gate in found)  # it has a clone of its own


def with_workspace(policy: Policy, settings: Settings, overrides: Overrides, *, prompt: bool) -> Policy:
    """Where it is worked on, and where that goes: a prompt stays in the user's folder unless something else is said."""
    said = "in-place" if overrides.in_place else overrides.workspace or settings.get("workspace")
    kind = said or ("in-place" if prompt else "clone")
    if not prompt:
        _check_tasks(settings, overrides, kind)
    elif kind == "in-place":
        _warn_in_place(settings, overrides)
    if kind == "in-place":
        return policy
    land = LandPolicy(how=settings.get("land.how") or "merge", **fields(settings.values, "land"))
    return replace(policy, workspace=kind, land=land)


def _check_tasks(settings: Settings, overrides: Overrides, kind: str) -> None:
    if overrides.in_place:
        settings.problems.add_outside("--in-place", _NOT_HERE)
    elif overrides.workspace == "in-place":
        settings.problems.add_outside("--workspace", f"in-place {_NOT_HERE}")
    elif kind == "in-place":
        settings.wrong("workspace", f"in-place {_NOT_HERE}")
    for flag, given in (("--criteria", overrides.criteria), ("--task-id", overrides.task_id)):
        if given:
            settings.problems.add_outside(flag, "is for a prompt; tasks of a backlog have their own")
    for path in settings.values:
        if path.startswith("task."):
            settings.warn(path, "is used only with a prompt; tasks of a backlog have their own")


def _warn_in_place(settings: Settings, overrides: Overrides) -> None:
    """What is made in the user's folder stays there: who asks for anything else must know."""
    if overrides.prompt is not None or overrides.prompt_file is not None:
        return  # the file is for other runs than this one
    for path in (*_OF_TASKS, "push"):
        if settings.get(path) not in (None, field_default(BY_PATH[path].into)):
            settings.warn(path, _UNUSED)
    if settings.get("land.how") not in (None, "none"):
        settings.warn("land.how", _UNUSED)
