"""The one table of keys in ralph.yml. The loader reads by it and the reference is made from it.

`into` names the field that the key sets: of Policy ("policy."), its parts, a gate, the task or the work on a
backlog. Keys without it are put to use by name in ralph.config.policy, ralph.config.task and ralph.config.backlog.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ralph.config import kinds
from ralph.config.kinds import Kind, choice, choices, duration, integer
from ralph.core.policy import (
    OCCASIONS,
    AgentPolicy,
    GatePolicy,
    LandPolicy,
    LimitPolicy,
    NotifyPolicy,
    Policy,
    SandboxPolicy,
    StuckPolicy,
    Task,
)
from ralph.core.schedule import Work

GATE = "gates[]"  # the prefix of the keys of one gate
REVIEWER = f"{GATE}.agent"  # and of its own agent, if it has one
NOTIFY = "notify[]"
EITHER = {GATE: ("run", "review"), NOTIFY: ("run", "url")}  # of these an item has exactly one
LISTS = tuple(EITHER)  # sections that come as items of a list
SHORT = {"sandbox": "kind", "land": "how"}  # sections for which one word may stand, as the value of this key

_STRUCTS: dict[str, Any] = {
    "agent": AgentPolicy,
    "gate": GatePolicy,
    "land": LandPolicy,
    "limits": LimitPolicy,
    "notify": NotifyPolicy,
    "sandbox": SandboxPolicy,
    "stuck": StuckPolicy,
    "policy": Policy,
    "task": Task,
    "work": Work,
}


class Key(msgspec.Struct, frozen=True):
    path: str
    kind: Kind
    into: str
    doc: str
    default_text: str = ""  # where the default is more than the field's own

    @property
    def type(self) -> str:
        return self.kind.name

    @property
    def default(self) -> str:
        """The default as a person would write it; "" when there is none."""
        return self.default_text or _written(field_default(self.into))


def field_default(into: str) -> Any:
    group, _, field = into.partition(".")
    struct = _STRUCTS.get(group)
    if struct is None:
        return None
    value = {f.name: f.default for f in msgspec.structs.fields(struct)}[field]
    return None if value is msgspec.NODEFAULT else value


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) if value else ""


_PROMPT_MODE = choice("stdin", "arg", "file")
_OUTPUT = choice("text", "jsonl")
_AS_CLI = "that of `cli`"

# fmt: off
# ruff: noqa: E501 - one row a key: the table is read by columns
KEYS: tuple[Key, ...] = (
    Key("cli.backend", kinds.AGENT, "agent.backend", "Which agent does the work: one known by name, `custom` for any program, `scripted` for a script of steps without a model.", "`custom` with `command`, else the first known agent on PATH"),
    Key("cli.command", kinds.ARGV, "agent.command", "The program of `custom`; of an agent known by name, the program in place of its own. With a slash: relative to this file; else found by PATH. Text is split as a shell would."),
    Key("cli.model", kinds.LINE, "agent.model", "The model, as the agent calls it. For agents known by name.", "the agent's own"),
    Key("cli.args", kinds.WORDS, "", "More arguments for the agent, after its others."),
    Key("cli.prompt_mode", _PROMPT_MODE, "agent.prompt_mode", "How the prompt reaches the agent: standard input, last argument, or the path of a file as last argument."),
    Key("cli.prompt_flag", kinds.FLAG, "agent.prompt_flag", 'Put before the prompt in the modes `arg` and `file`, for example "-p".'),
    Key("cli.output", _OUTPUT, "agent.output", "What the agent prints: text, or one JSON value a line."),
    Key("cli.env", kinds.ENVIRONMENT, "agent.env", "Environment variables for the agent."),
    Key("cli.script", kinds.PATH, "agent.script", "The steps of `scripted`, relative to this file."),
    Key("fallback", kinds.TEXTS, "policy.fallback", "Who goes on, in this order, when the agent is out of quota or of no use: agents known by name, or commands that read the prompt on standard input. The first agent works again when it can.", "nobody"),
    Key("event_loop.prompt", kinds.TEXT, "", "What to do, as text."),
    Key("event_loop.prompt_file", kinds.PATH, "", "What to do, in a file, relative to this one.", "PROMPT.md if it exists"),
    Key("event_loop.completion_promise", kinds.LINE, "policy.completion_promise", "A further line by which the agent claims to be done."),
    Key("event_loop.claim", choice("signal", "exit-zero", "every-iteration"), "policy.claim", "What counts as a claim: the signal, a successful exit, or the end of each iteration."),
    Key("event_loop.max_iterations", integer(1), "limits.max_iterations", "Agent processes before the loop ends."),
    Key("event_loop.max_attempts", integer(1), "limits.max_attempts", "Claims put to the gates (and iterations that hit their hard limit) before the loop ends."),
    Key("event_loop.max_runtime_seconds", duration(), "limits.hard_seconds", "Active time before the loop ends."),
    Key("event_loop.soft_runtime_seconds", duration(), "limits.soft_seconds", "Active time before the agent is told to finish.", "75 % of `max_runtime_seconds`"),
    Key("event_loop.iteration_timeout", duration(), "limits.iteration_hard_seconds", "Time of one agent process before it is ended."),
    Key("event_loop.iteration_soft_timeout", duration(), "limits.iteration_soft_seconds", "Time of one agent process before a warning.", "2/3 of `iteration_timeout`"),
    Key("event_loop.idle_timeout", duration(), "limits.idle_seconds", "Time without output, change or CPU use before an agent is ended."),
    Key("event_loop.max_cost_usd", kinds.AMOUNT, "limits.max_cost_usd", "Cost before the loop ends; 0: no limit."),
    Key("event_loop.max_tokens", integer(0), "limits.max_tokens", "Tokens before the loop ends; 0: no limit.", "0"),
    Key("event_loop.max_consecutive_failures", integer(1), "limits.max_consecutive_failures", "Crashes in a row before the agent is called unusable."),
    Key("event_loop.crash_wait", duration(zero_ok=True), "limits.crash_wait_seconds", "Wait after a crash."),
    Key("event_loop.max_wait", duration(zero_ok=True), "limits.max_wait_seconds", "The longest wait for a quota to reset."),
    Key("event_loop.wrap_up_seconds", duration(zero_ok=True), "limits.wrap_up_seconds", "Time that an iteration goes on after its agent reports a full context; then a fresh one takes over. 0: no end."),
    Key("event_loop.stop_grace", duration(zero_ok=True), "limits.stop_grace_seconds", "Time between asking a process to end and killing it."),
    Key("gates", Kind("`none` or list of gates"), "", "The checks that prove the work. `none` says that no proof is wanted.", "no gate: the end is unverified"),
    Key("gates[].name", kinds.LINE, "gate.name", "How messages call it; unique.", "the first word of `run`"),
    Key("gates[].run", kinds.TEXT, "gate.run", "The command; exit code 0 passes. A gate has either this or `review`."),
    Key("gates[].review", kinds.TEXT, "gate.review", "A reviewer: a fresh agent reads the criteria, the change and the gates' output, and says PASS or FAIL. `spec` (does it do what was asked?), `quality` (is it well made?), or your own instructions."),
    Key("gates[].agent.backend", kinds.AGENT, "agent.backend", "The reviewer's agent.", _AS_CLI),
    Key("gates[].agent.command", kinds.ARGV, "agent.command", "The reviewer's program. With `backend` or `command` given, nothing else is taken over from `cli`.", _AS_CLI),
    Key("gates[].agent.model", kinds.LINE, "agent.model", "The reviewer's model.", _AS_CLI),
    Key("gates[].agent.args", kinds.WORDS, "", "The reviewer's further arguments.", _AS_CLI),
    Key("gates[].agent.prompt_mode", _PROMPT_MODE, "agent.prompt_mode", "How the prompt reaches the reviewer.", _AS_CLI),
    Key("gates[].agent.prompt_flag", kinds.FLAG, "agent.prompt_flag", "Put before the reviewer's prompt.", _AS_CLI),
    Key("gates[].agent.output", _OUTPUT, "agent.output", "What the reviewer prints.", _AS_CLI),
    Key("gates[].agent.env", kinds.ENVIRONMENT, "agent.env", "Environment variables for the reviewer.", _AS_CLI),
    Key("gates[].agent.script", kinds.PATH, "agent.script", "The steps of a scripted reviewer.", _AS_CLI),
    Key("gates[].hard", kinds.BOOLEAN, "gate.hard", "Whether it must pass; otherwise its failure is a warning."),
    Key("gates[].every", choice("claim", "iteration"), "gate.every", "When it runs."),
    Key("gates[].soft_timeout", duration(), "gate.soft_timeout", "Time before a warning.", "600, at most `hard_timeout`"),
    Key("gates[].hard_timeout", duration(), "gate.hard_timeout", "Time before it is ended and has failed."),
    Key("gates[].may_write", kinds.WRITABLE, "gate.may_write", "What it may change in the workspace without failing. Whatever it writes is undone afterwards.", "false"),
    Key("gates[].hermetic", kinds.BOOLEAN, "gate.hermetic", "Whether it runs in a clean checkout."),
    Key("gates[].setup", kinds.TEXT, "gate.setup", "Run first in the clean checkout of a hermetic gate."),
    Key("gates[].inputs", kinds.GLOBS, "gate.inputs", "More files that judge the work, beyond those found by themselves."),
    Key("stuck.same_error_shift", integer(1), "stuck.same_error_shift", "Equal errors in a row before the strategy shifts."),
    Key("stuck.same_error_stop", integer(1), "stuck.same_error_stop", "Equal errors in a row before the loop ends as stuck."),
    Key("stuck.no_progress_nudge", integer(1), "stuck.no_progress_nudge", "Iterations without a change before the agent is told."),
    Key("stuck.no_progress_stop", integer(0), "stuck.no_progress_stop", "Iterations without a change before the loop ends as stuck; 0: never."),
    Key("core.scratchpad", kinds.INSIDE, "policy.scratchpad", "The agent's notes from one iteration to the next; may contain `{taskId}`."),
    Key("core.guardrails", kinds.GUIDANCE, "policy.guidance", "Your own rules, put into every prompt."),
    Key("task.id", kinds.IDENTIFIER, "task.id", "The task's id.", "made from the title"),
    Key("task.title", kinds.LINE, "task.title", "The task's title.", "the prompt's first line"),
    Key("task.description", kinds.TEXT, "task.description", "What to do, in place of `event_loop.prompt`.", "the prompt"),
    Key("task.criteria", kinds.TEXTS, "task.criteria", "What must be true when it is done."),
    Key("task.no_change_ok", kinds.BOOLEAN, "task.no_change_ok", "Whether the work may already be done before it starts."),
    Key("task.allow", kinds.GLOBS, "task.allow", "Gate inputs and protected files that this task may change without review."),
    Key("allow", kinds.GLOBS, "policy.allow", "Gate inputs and protected files that any task may change without review."),
    Key("protect", kinds.GLOBS, "policy.protect", "Files that agents may not change: what they do to them is undone. In place of the usual list.", "`ralph.yml` and the files of CI services"),
    Key("notify", Kind("list of targets"), "", "Whom to tell when a loop ends, needs a person, or waits.", "nobody"),
    Key("notify[].run", kinds.TEXT, "notify.run", "A command; it gets the message as JSON on standard input. A target has either this or `url`."),
    Key("notify[].url", kinds.LINE, "notify.url", "An address of the apprise library (extra `notify`), for example `slack://${SLACK_TOKEN}`; variables are filled in when it is used."),
    Key("notify[].when", choices(*OCCASIONS), "notify.when", "Of what: the end of a loop, a loop that needs a person, a wait.", "all of them"),
    Key("env_allow", kinds.VARIABLES, "policy.env_allow", "Variables of your environment that agents and gates get besides the usual ones and the agent's own keys; `*` and `?` work, and `*` alone means all of them.", "none"),
    Key("sandbox.kind", choice("none", "bwrap"), "sandbox.kind", "What agents and gates can reach: everything that you can, or (`bwrap`, Linux with bubblewrap) the workspace, the system's programs and what is named here. `sandbox: bwrap` is short for this key alone."),
    Key("sandbox.network", choice("host", "none"), "sandbox.network", "The network inside: that of the machine, or none. An agent needs one to reach its model.", "`host`"),
    Key("sandbox.credentials", kinds.PATHS, "sandbox.credentials", "Files of your home that the agent can read inside; relative to the home folder.", "those that the agent is known to need"),
    Key("sandbox.readable", kinds.PATHS, "sandbox.readable", "More files and folders that agents and gates can read. Inside the workspace: not write."),
    Key("sandbox.writable", kinds.PATHS, "sandbox.writable", "More files and folders that agents and gates can write, such as caches."),
    Key("backlog", kinds.PATH, "", "The list of tasks that `ralph run` works through, relative to this file. With this key, PROMPT.md is not taken for the task.", "`tasks.jsonl` at the top of the repository, where there is no prompt"),
    Key("parallel", integer(1), "work.parallel", "Tasks of the backlog that are worked on at once."),
    Key("poll_interval_seconds", duration(), "work.poll_seconds", "Time between two looks at the backlog while nothing else happens."),
    Key("gate_concurrency", integer(1), "work.gates_at_once", "Gates that run at once, of all the tasks under way."),
    Key("share", kinds.FOLDERS, "work.share", "Folders that git ignores, such as node_modules and .venv, of which every workspace gets a copy. Relative to the top of the repository."),
    Key("workspace", choice("clone", "worktree", "in-place"), "", "Where a task is worked on: a clone of its own, a worktree of its own (both for a backlog), or your folder (for a prompt).", "`clone` for a backlog; a prompt is worked on in place"),
    Key("land.how", choice("merge", "branch", "pr", "none"), "", "Where a backlog's proven work goes: merged into the target, onto a branch `task/...`, into a pull request (by `gh`), or nowhere but a recovery ref. `land: branch` is short for this key alone.", "`merge` for a backlog"),
    Key("land.target", kinds.LINE, "land.target", "The branch that tasks of the backlog start from and land on.", "the one that is checked out"),
    Key("land.merges", integer(0), "land.merges", "How often a task is merged with a target that has moved on before it goes onto a branch instead."),
    Key("push", kinds.BOOLEAN, "land.push", "Whether branches with failed work, and branches that work lands on, are pushed. A pull request's always is."),
    Key("require_verified", kinds.BOOLEAN, "policy.require_verified", "Whether only a verified end is a success."),
)
# fmt: on

BY_PATH = {key.path: key for key in KEYS}
SECTIONS = frozenset(path.rpartition(".")[0] for path in BY_PATH if "." in path) - set(LISTS)


def names_in(section: str) -> tuple[str, ...]:
    """The valid names directly in a section ("" is the top level)."""
    paths = [*BY_PATH, *SECTIONS]
    inside = [path[len(section) + 1 :] if section else path for path in paths if _parent(path) == section]
    return tuple(sorted(inside))


def _parent(path: str) -> str:
    return path.rpartition(".")[0]
