"""The task of a run: from the prompt, wherever it was given, and what `task:` says of it."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from ralph.config.backlog import asked_for
from ralph.config.overrides import Overrides
from ralph.config.problems import quoted_path
from ralph.config.read import Settings, fields
from ralph.config.textfile import located, read_text
from ralph.core.policy import Task
from ralph.errors import RalphError

DEFAULT_PROMPT_FILE = "PROMPT.md"
MAX_TITLE = 80
MAX_SLUG = 40


def task(settings: Settings, overrides: Overrides, cwd: Path, *, to_come: bool = False) -> Task | None:
    """None when there is no prompt anywhere, or the backlog is asked for; a title alone is a prompt. `to_come`: a file of
    it that is named may not be there yet, since a run can be given another prompt."""
    _refuse_two_prompts(settings)
    if asked_for(settings, overrides):
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
    if overrides.prompt is not None or asked_for(settings, overrides):
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
