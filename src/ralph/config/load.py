"""A folder, perhaps a file, and the command line to what a run obeys. Reads files; changes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ralph.config import tasks as backlogs
from ralph.config.legacy import is_legacy_file
from ralph.config.problems import Problems, Unreadable
from ralph.config.resolve import policy as policy_of
from ralph.config.settings import (
    NAMED_BY,
    Overrides,
    Settings,
    Values,
    check_overrides,
    has_layers,
    read_settings,
)
from ralph.config.tasks import prompt_file
from ralph.config.tasks import task as task_of
from ralph.core.hats.model import Team, with_roles
from ralph.core.policy import Policy, Task
from ralph.core.run import Work
from ralph.errors import RalphError
from ralph.files import read_text

FILE_NAMES = ("ralph.yml", "ralph.yaml")
ROLE_FILE_NAMES = ("config/roles.yaml", "roles.yaml")
DEFAULTS = "(defaults)"
ASSUMED = "(assumed)"
_OF_FAMILY = ("hats", "events")  # by which a file is known to be of the older family, wherever they come from


class Resolved(msgspec.Struct, frozen=True):
    policy: Policy
    task: Task | None  # None: those of the backlog
    source: str  # the path of the file that was read, or "(assumed)", or "(defaults)"
    warnings: tuple[str, ...] = ()
    prompt_file: str = ""  # the path of the file that holds the task's text, if one does
    work: Work = Work()  # how a backlog is gone through
    backlog: str = ""  # the path of its file; empty: a prompt is worked on, or only a flag asks for tasks


class Examined(msgspec.Struct, frozen=True):
    """What a file says, right or wrong. Policy and task are to be trusted only when no problem was found."""

    path: Path | None  # None: there is no file
    settings: Settings
    policy: Policy
    task: Task | None  # None: no prompt anywhere
    prompt_file: str
    work: Work = Work()
    backlog: str = ""  # the path of the backlog that is gone through

    @property
    def has_agent(self) -> bool:
        return self.policy.agent.backend != "custom" or bool(self.policy.agent.command)


class NoPrompt(RalphError):
    """Nothing else is known to be wrong, except perhaps that there is no agent either."""


def load(
    cwd: Path,
    file: Path | None = None,
    overrides: Overrides | None = None,
    *,
    assumed: str = "",
    backlog: Path | None = None,
    user: bool = True,
) -> Resolved:
    """RalphError names everything that is wrong, not only the first of it. `assumed` stands for a file that is not there.
    `backlog`: there are tasks in this file, so that without a prompt these are what there is to do. `user`: with what the
    user has for all projects."""
    found = examine(cwd, file, overrides, assumed=assumed, backlog=backlog, user=user)
    found.settings.problems.raise_if_any()
    # Asked last: what is missing is often there under a misspelt key.
    nothing = found.task is None and not found.backlog and not (overrides and overrides.backlog)
    if nothing or not found.has_agent:
        raise _missing(prompt=nothing, agent=not found.has_agent)
    roles, of_roles = _roles(Path(cwd).absolute())
    return Resolved(
        replace(found.policy, team=with_roles(found.policy.team, roles)) if roles else found.policy,
        found.task,
        str(found.path) if found.path else ASSUMED if assumed else DEFAULTS,
        (*found.settings.problems.warnings, *of_roles),
        found.prompt_file,
        found.work,
        found.backlog,
    )


def examine(
    cwd: Path,
    file: Path | None = None,
    overrides: Overrides | None = None,
    *,
    assumed: str = "",
    backlog: Path | None = None,
    prompt_to_come: bool = False,
    user: bool = True,
) -> Examined:
    """Everything that is wrong is in `settings.problems`; Unreadable when the file cannot be taken apart.
    `prompt_to_come`: that the file of the prompt is not there is only a warning."""
    overrides = overrides or Overrides()
    cwd = Path(cwd).absolute()
    path = cwd / file if file is not None else found_in(cwd) if not user else meant_in(cwd)
    problems = Problems(str(file) if file is not None else _shown_path(path, cwd) if path else FILE_NAMES[0])
    own = (
        read_settings(_text(path, problems.source) if path else assumed, problems) if path or assumed else {}
    )
    values, others = _layered(own, overrides, assumed=path is None, user=user)
    said = (key for key, given in values.items() if given.value != () and (key in own or key in _OF_FAMILY))
    settings = Settings(path.parent if path else cwd, values, problems, older=is_legacy_file(said))
    _warn_of_second_file(cwd, path, problems)

    check_overrides(overrides, problems)
    policy = policy_of(settings, overrides, cwd)
    task = task_of(settings, overrides, cwd, to_come=prompt_to_come)
    from_file = prompt_file(settings, overrides, cwd)
    tasks = backlogs.backlog_file(settings, backlog) if task is None and from_file is None else None
    if tasks or overrides.backlog or task is not None:
        policy = backlogs.with_workspace(
            policy, settings, overrides, prompt=not tasks and not overrides.backlog
        )
    work = backlogs.backlog_work(settings, overrides, cwd)
    if settings.older and task is not None and not work.max_run_seconds:
        work = replace(work, max_run_seconds=policy.limits.hard_seconds)  # there it is time by the clock
    for layer in others:
        problems.adopt(layer)
    return Examined(
        path, settings, policy, task, str(from_file[0]) if from_file else "", work, str(tasks or "")
    )


def _layered(
    own: Values, overrides: Overrides, *, assumed: bool, user: bool
) -> tuple[Values, tuple[Problems, ...]]:
    """With what is said beside the file; and what is wrong there."""
    if not has_layers(overrides, user=user):
        return own, ()
    from ralph.config.layers import with_layers  # most runs have nothing but the file

    layers = with_layers(own, overrides, assumed=assumed, user=user)
    return layers.values, layers.problems


def _roles(cwd: Path) -> tuple[Team | None, tuple[str, ...]]:
    if roles_file(cwd) is None and not any(os.path.lexists(cwd / name) for name in ("working.md", "roles")):
        return None, ()
    from ralph.config.hats import load_roles  # most projects have none

    return load_roles(cwd)


def roles_file(cwd: Path) -> str | None:
    """A dangling link counts as there, as below."""
    return next((name for name in ROLE_FILE_NAMES if os.path.lexists(cwd / name)), None)


def meant_in(cwd: Path) -> Path | None:
    """The configuration that counts here, where the command line names none."""
    named = os.environ.get(NAMED_BY, "")
    return cwd / named if named else found_in(cwd)


def _shown_path(path: Path, cwd: Path) -> str:
    return path.name if path.parent == cwd else str(path)


def found_in(cwd: Path) -> Path | None:
    """A dangling link counts as there: it is an error to report, not a reason for the defaults."""
    return next((cwd / name for name in FILE_NAMES if os.path.lexists(cwd / name)), None)


def found_above(cwd: Path, root: Path) -> Path | None:
    """The nearest one between this folder and the repository's root. It is never used by itself: gates and agent would run
    in another folder than the one it was written for."""
    between = (folder for folder in cwd.parents if folder == root or root in folder.parents)
    return next((path for folder in between if (path := found_in(folder))), None)


def _text(path: Path, source: str) -> str:
    try:
        return read_text(path)
    except RalphError as error:
        raise Unreadable(error.what, source, "Name a readable YAML file; nothing was changed.")


def _warn_of_second_file(cwd: Path, path: Path | None, problems: Problems) -> None:
    second = cwd / FILE_NAMES[1]
    if path == cwd / FILE_NAMES[0] and os.path.lexists(second):
        problems.warn_outside(f"{second.name} is not read, because {FILE_NAMES[0]} exists")


def _missing(*, prompt: bool, agent: bool) -> RalphError:
    what, todo = [], []
    if prompt:
        what.append("there is no prompt: nothing to do")
        todo.append(
            'Say what to do: `ralph run -p "..."`, or in a file PROMPT.md (another: -P FILE), or in event_loop.prompt of '
            'ralph.yml. For a list of tasks: `ralph task add "..."`, then `ralph run`.'
        )
    if agent:
        what.append("there is no agent to do it")
        todo.append(
            "Set cli.backend or cli.command in ralph.yml, or put the agent's command after -- on the command line."
        )
    kind = NoPrompt if prompt else RalphError
    return kind("\n".join(what), todo="\n".join(todo))
