"""The one table of keys in ralph.yml. The loader reads by it and the reference is made from it.

`into` names the field that the key sets: of Policy ("policy."), its parts, a gate, the task or the work on a
backlog. Keys without it are put to use by name in ralph.config.resolve, ralph.config.tasks and ralph.config.tasks.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ralph.config import field_types, hat_field_types
from ralph.config.field_types import FieldType, choice, choices, duration, integer
from ralph.core.agent_policy import AgentPolicy
from ralph.core.hats.model import Hat, Meaning, Scan, Team
from ralph.core.policy import (
    OCCASIONS,
    GatePolicy,
    LandPolicy,
    LimitPolicy,
    MemoryPolicy,
    NotifyPolicy,
    Policy,
    SandboxPolicy,
    StuckPolicy,
    Task,
)
from ralph.core.run import Work

GATE = "gates[]"  # the prefix of the keys of one gate
REVIEWER = f"{GATE}.agent"  # and of its own agent, if it has one
AT_END = "at_end[]"  # of one reviewer at the end of a run; what a gate has more of is not for it
NOTIFY = "notify[]"
EITHER = {
    GATE: ("run", "review", "kind"),
    AT_END: ("review",),
    NOTIFY: ("run", "url"),
}  # an item has exactly one of these
NOT_AT_END = {  # what a gate may say, and why it has no place here
    "hard": "what is said at the end of a run is always soft, and nothing waits for it; remove the key",
    "run": "only reviewers are asked at the end of a run; a command that has to pass belongs to `gates`",
}
LISTS = tuple(EITHER)  # sections that come as items of a list
HAT = "hats.<name>"  # the prefix of the keys of one hat
EVENT = "events.<name>"
BACKEND = f"{HAT}.backend"
NAMED = {"hats": HAT, "events": EVENT}  # sections whose names the user gives
SHORT = {
    "sandbox": "kind",
    "land": "how",
    BACKEND: "type",
}  # sections for which one word may stand: of this key
SHORT_LIST = {BACKEND: "command"}  # and a list: of that one

_STRUCTS: dict[str, Any] = {
    "agent": AgentPolicy,
    "gate": GatePolicy,
    "hat": Hat,
    "land": LandPolicy,
    "limits": LimitPolicy,
    "meaning": Meaning,
    "memories": MemoryPolicy,
    "notify": NotifyPolicy,
    "sandbox": SandboxPolicy,
    "scan": Scan,
    "stuck": StuckPolicy,
    "policy": Policy,
    "task": Task,
    "team": Team,
    "work": Work,
}


class Key(msgspec.Struct, frozen=True):
    path: str
    kind: FieldType
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


# What a configuration means where the field's own default is what journals of earlier versions mean.
CONFIGURED: dict[str, Any] = {
    "gate.hermetic": True,
    "policy.rules": 2,
    "policy.flaky_passes": 0,
    "policy.reproduce": "auto",
}


def field_default(into: str) -> Any:
    if into in CONFIGURED:
        return CONFIGURED[into]
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
def _agent_of(reviewer: str) -> tuple[Key, ...]:
    return (
        Key(f"{reviewer}.agent.backend", field_types.AGENT, "agent.backend", "The reviewer's agent.", _AS_CLI),
        Key(f"{reviewer}.agent.command", field_types.ARGV, "agent.command", "The reviewer's program. With `backend` or `command` set, nothing else is taken from `cli`.", _AS_CLI),
        Key(f"{reviewer}.agent.model", field_types.LINE, "agent.model", "The reviewer's model.", _AS_CLI),
        Key(f"{reviewer}.agent.args", field_types.WORDS, "", "The reviewer's further arguments.", _AS_CLI),
        Key(f"{reviewer}.agent.prompt_mode", _PROMPT_MODE, "agent.prompt_mode", "How the prompt reaches the reviewer.", _AS_CLI),
        Key(f"{reviewer}.agent.prompt_flag", field_types.FLAG, "agent.prompt_flag", "Put before the reviewer's prompt.", _AS_CLI),
        Key(f"{reviewer}.agent.output", _OUTPUT, "agent.output", "What the reviewer prints.", _AS_CLI),
        Key(f"{reviewer}.agent.env", field_types.ENVIRONMENT, "agent.env", "Environment variables for the reviewer.", _AS_CLI),
        Key(f"{reviewer}.agent.script", field_types.PATH, "agent.script", "The steps of a scripted reviewer.", _AS_CLI),
    )


KEYS: tuple[Key, ...] = (
    Key("cli.backend", field_types.AGENT_OR_AUTO, "agent.backend", "Which agent does the work: one known by name, `custom` for any program, `scripted` for a script of steps without a model, `auto` for the first known one on PATH.", "`custom` with `command`, else the first known agent on PATH"),
    Key("cli.command", field_types.ARGV, "agent.command", "The program of `custom`; of an agent known by name, the program to use instead of its own. With a slash: relative to this file; else found by PATH. Text is split as a shell would."),
    Key("cli.model", field_types.LINE, "agent.model", "The model, as the agent calls it. For agents known by name.", "the agent's own"),
    Key("cli.args", field_types.WORDS, "", "More arguments for the agent, after its others."),
    Key("cli.prompt_mode", _PROMPT_MODE, "agent.prompt_mode", "How the prompt reaches the agent: standard input, last argument, or the path of a file as last argument.", "`stdin`; with `backend: custom` in older files `arg`"),
    Key("cli.prompt_flag", field_types.FLAG, "agent.prompt_flag", 'Put before the prompt in the modes `arg` and `file`, for example "-p".'),
    Key("cli.output", _OUTPUT, "agent.output", "What the agent prints: text, or one JSON value a line."),
    Key("cli.env", field_types.ENVIRONMENT, "agent.env", "Environment variables for the agent."),
    Key("cli.script", field_types.PATH, "agent.script", "The steps of `scripted`, relative to this file."),
    Key("fallback", field_types.TEXTS, "policy.fallback", "Agents that take over, in this order, when the agent is out of quota or unusable: agents known by name, or commands that read the prompt on standard input. The first agent works again when it can.", "none"),
    Key("event_loop.prompt", field_types.TEXT, "", "What to do, as text."),
    Key("event_loop.prompt_file", field_types.PATH, "", "What to do, in a file, relative to this one.", "PROMPT.md if it exists"),
    Key("event_loop.completion_promise", field_types.LINE, "policy.completion_promise", "A further line by which the agent claims to be done."),
    Key("event_loop.claim", choice("signal", "exit-zero", "every-iteration"), "policy.claim", "What counts as a claim: the signal, exit code 0, or the end of each iteration. With the last two, gates look at every iteration."),
    Key("event_loop.max_iterations", integer(1), "limits.max_iterations", "Agent processes before the loop ends.", "50; with hats 100"),
    Key("event_loop.max_attempts", integer(1), "limits.max_attempts", "Claims put to the gates (and iterations that hit their hard limit) before the loop ends."),
    Key("event_loop.max_runtime_seconds", duration(endless=True), "limits.hard_seconds", "Active time before the loop ends; with hats also the time by the clock that a run may last.", "28800; with hats 14400"),
    Key("event_loop.soft_runtime_seconds", duration(), "limits.soft_seconds", "Active time before prompts ask the agent to finish.", "75 % of `max_runtime_seconds`"),
    Key("event_loop.iteration_timeout", duration(endless=True), "limits.iteration_hard_seconds", "Time of one agent process before it is ended."),
    Key("event_loop.iteration_soft_timeout", duration(), "limits.iteration_soft_seconds", "Time of one agent process before a warning.", "2/3 of `iteration_timeout`"),
    Key("event_loop.idle_timeout", duration(endless=True), "limits.idle_seconds", "Time without output, change or CPU use before an agent is ended."),
    Key("event_loop.max_cost_usd", field_types.AMOUNT, "limits.max_cost_usd", "Cost before the loop ends; 0: no limit."),
    Key("event_loop.max_tokens", integer(0), "limits.max_tokens", "Tokens before the loop ends; 0: no limit.", "0"),
    Key("event_loop.max_run_seconds", duration(zero_ok=True), "work.max_run_seconds", "Time that a whole run may last, over all its tasks; 0: no limit. What is under way is ended, and the next run continues it.", "0"),
    Key("event_loop.max_run_cost_usd", field_types.AMOUNT, "work.max_run_cost_usd", "Cost of a whole run; 0: no limit.", "0"),
    Key("event_loop.max_run_tokens", integer(0), "work.max_run_tokens", "Tokens of a whole run; 0: no limit.", "0"),
    Key("event_loop.max_run_tasks", integer(0), "work.most", "Tasks of the backlog that a run begins; 0: as many as there are. `--max-items` goes before it.", "0"),
    Key("event_loop.max_consecutive_failures", integer(1), "limits.max_consecutive_failures", "Crashes in a row before the agent is called unusable."),
    Key("event_loop.crash_wait", duration(zero_ok=True), "limits.crash_wait_seconds", "Wait after a crash."),
    Key("event_loop.max_wait", duration(zero_ok=True), "limits.max_wait_seconds", "The longest wait for a quota to reset."),
    Key("event_loop.human_timeout_seconds", duration(zero_ok=True), "limits.human_timeout_seconds", "How long a loop waits for a person's answer before it continues with the agent's default, or ends as blocked-on-person. A question's own deadline can be sooner, not later. 0: as the question says (a day at most); without a deadline, it ends at once.", "0"),
    Key("event_loop.wrap_up_seconds", duration(zero_ok=True), "limits.wrap_up_seconds", "Time that an iteration continues after its agent reports a full context; then a fresh one takes over. 0: no end."),
    Key("event_loop.stop_grace", duration(zero_ok=True), "limits.stop_grace_seconds", "Time between asking a process to end and killing it."),
    Key("event_loop.starting_event", hat_field_types.TOPIC, "team.starting_event", "The event that starts the hats."),
    Key("event_loop.persistent", field_types.BOOLEAN, "team.persistent", "Whether the hats continue forever: a completion means idle, and after the cool-down `task.resume` looks again."),
    Key("event_loop.required_events", hat_field_types.TOPICS, "team.required_events", "Events that must have been published before hats can complete."),
    Key("event_loop.cancellation_promise", hat_field_types.TOPIC_OR_NONE, "team.cancellation_promise", "An event of the hats that ends the loop at once, as cancelled.", "none"),
    Key("event_loop.enforce_hat_scope", field_types.BOOLEAN, "team.enforce_scope", "Whether an event that is not in the `publishes` of its hat is refused."),
    Key("event_loop.cooldown_delay_seconds", duration(zero_ok=True), "team.cooldown", "The pause before an idle board is looked at again; without hats that take events, between two iterations.", "0"),
    Key("event_loop.cooldown", choice("idle", "always"), "", "When hats pause: only before an idle board is looked at again, or before every iteration.", "`idle`"),
    Key("event_loop.gate_on", hat_field_types.EVENTS, "team.gate_on", "Events of the hats that are passed on only after the gates have passed; if they fail, it is `gate.failed` instead."),
    Key("hats", FieldType("mapping of names to hats"), "", "The hats of the loop, by name: personas that events or conditions put on. See hats.md.", "none"),
    Key("hats.<name>.name", hat_field_types.TITLE, "hat.name", "What it is called in prompts and messages.", "its name in the mapping"),
    Key("hats.<name>.description", hat_field_types.PROSE, "hat.description", "What it is for, in a sentence; the other hats see it."),
    Key("hats.<name>.triggers", hat_field_types.TOPICS, "hat.triggers", "The events that put it on. `*` stands for a whole segment (`build.*`); alone it takes what no other hat does."),
    Key("hats.<name>.publishes", hat_field_types.TOPICS, "hat.publishes", "The events it may publish. LOOP_COMPLETE must be among them for it to complete the loop."),
    Key("hats.<name>.instructions", hat_field_types.PROSE, "hat.instructions", "Its instructions."),
    Key("hats.<name>.extra_instructions", hat_field_types.PROSES, "hat.extra_instructions", "More instructions, for texts that several hats share by YAML anchors."),
    Key("hats.<name>.default_publishes", hat_field_types.TOPIC_OR_NONE, "hat.default_publishes", "The event that is published for it when its iteration publishes none.", "none: the coordinator has the next turn"),
    Key("hats.<name>.max_activations", integer(0), "hat.max_activations", "How often it can be put on; then its events become `<name>.exhausted`. 0: no limit.", "0"),
    Key("hats.<name>.when", field_types.LINE, "hat.when", "A condition that also puts it on, as in roles.yaml. See roles.md.", "none"),
    Key("hats.<name>.fresh", field_types.BOOLEAN, "hat.fresh", "Whether scratchpad and todos are cleared before it starts.", "when a hat that looks for work dispatches it"),
    Key("hats.<name>.backend.type", field_types.AGENT, "agent.backend", "The hat's own agent. `backend: codex` is short for this key alone.", _AS_CLI),
    Key("hats.<name>.backend.command", field_types.ARGV, "agent.command", "The hat's own program. `backend: [prog, arg]` is short for this key alone.", _AS_CLI),
    Key("hats.<name>.backend.args", field_types.WORDS, "", "Arguments of that agent.", "none"),
    Key("hats.<name>.backend.agent", field_types.LINE, "", "A profile within the agent, for kiro and opencode: `--agent NAME`.", "none"),
    Key("hats.<name>.backend.prompt_mode", _PROMPT_MODE, "agent.prompt_mode", "How the prompt reaches the hat's own program.", "`arg`"),
    Key("hats.<name>.backend.prompt_flag", field_types.FLAG, "agent.prompt_flag", "Put before the prompt of the hat's own program.", "none"),
    Key("hats.<name>.backend.output", _OUTPUT, "agent.output", "What the hat's own program prints.", "`text`"),
    Key("hats.<name>.backend.env", field_types.ENVIRONMENT, "agent.env", "Environment variables for the hat's own agent.", "none"),
    Key("hats.<name>.backend.script", field_types.PATH, "agent.script", "The steps of a scripted hat.", "none"),
    Key("hats.<name>.backend_args", field_types.WORDS, "", "More arguments for whichever agent wears it.", "none"),
    Key("hats.<name>.model", field_types.LINE, "agent.model", "The model of whichever agent wears it.", _AS_CLI),
    Key("hats.<name>.disallowed_tools", hat_field_types.TOOLS, "hat.disallowed_tools", "Tools it must not use. Claude Code is started without them; for other agents it is an instruction."),
    Key("hats.<name>.allowed_tools", hat_field_types.TOOLS, "hat.allowed_tools", "The only tools it may use, by Claude Code's names; other agents cannot be restricted.", "all"),
    Key("hats.<name>.timeout", duration(endless=True), "hat.timeout", "Time of one iteration under it before it is ended.", "`event_loop.iteration_timeout`"),
    Key("hats.<name>.scratchpad", hat_field_types.NOTES, "hat.scratchpad", "Its own notes. `{enabled: false}`: it has none.", "`core.scratchpad`"),
    Key("hats.<name>.aggregate.mode", choice("wait_for_all"), "hat.aggregate", "It waits until no other hat has a turn, and takes all its events in one iteration.", "one iteration for each event"),
    Key("hats.<name>.scan.folders", hat_field_types.FOLDER_EVENTS, "scan.folders", "The hat is not an agent: Ralph itself looks into these folders, in this order, and publishes the event for the first item by name, with the name as payload. `{work: work.propose}`."),
    Key("hats.<name>.scan.backlog", hat_field_types.FOLDER_EVENTS, "scan.backlog", "A backlog to look at after the folders; the event's payload is the task's id. `{tasks.jsonl: task.ready}`.", "none"),
    Key("hats.<name>.scan.failed", hat_field_types.INSIDE_PATH, "scan.failed", "The folder for items that failed three times in their phase."),
    Key("hats.<name>.scan.log", hat_field_types.INSIDE_PATH, "scan.log", "The file that records what each look found."),
    Key("events", FieldType("mapping of topics to meanings"), "", "What events stand for.", "none"),
    Key("events.<name>.description", hat_field_types.PROSE, "meaning.description", "What it stands for; the hats that publish or take it see this."),
    Key("events.<name>.on_trigger", hat_field_types.PROSE, "meaning.on_trigger", "Instructions for a hat that it puts on."),
    Key("events.<name>.on_publish", hat_field_types.PROSE, "meaning.on_publish", "Instructions for a hat that may publish it."),
    Key("gates", FieldType("`none` or list of gates"), "", "The checks that prove the work; text alone is short for `run`. `none` says that no proof is wanted.", "no gate: the end is unverified"),
    Key("gates[].name", field_types.LINE, "gate.name", "Its name in messages; unique.", "the first word of `run`"),
    Key("gates[].run", field_types.TEXT, "gate.run", "The command; exit code 0 passes. A gate has either this, or `review`, or `kind`."),
    Key("gates[].review", field_types.TEXT, "gate.review", "A reviewer: a fresh agent reads the criteria, the change and the gates' output, and says PASS or FAIL. `spec` (does it do what was asked?), `quality` (is it well made?), `judges` (does the task call for what was done to its tests? asked only when that is in doubt), or your own instructions."),
    *_agent_of(GATE),
    Key("gates[].kind", field_types.LINE, "", "A kind of gate that an installed package adds (entry point group `ralph.gates`)."),
    Key("gates[].options", field_types.OPTIONS, "gate.options", "Options for a gate with `kind`; the kind defines them."),
    Key("gates[].hard", field_types.BOOLEAN, "gate.hard", "Whether it must pass; otherwise its failure is a warning."),
    Key("gates[].every", choice("claim", "iteration"), "gate.every", "When it runs."),
    Key("gates[].soft_timeout", duration(), "gate.soft_timeout", "Time before a warning.", "600, at most `hard_timeout`"),
    Key("gates[].hard_timeout", duration(), "gate.hard_timeout", "Time before it is ended and has failed."),
    Key("gates[].may_write", field_types.WRITABLE, "gate.may_write", "What it may change in the workspace without failing. Whatever it writes is undone afterwards.", "false"),
    Key("gates[].hermetic", field_types.BOOLEAN, "gate.hermetic", "Whether it runs in a clean checkout of what git records, with a copy of the folders that `share` names. `false` judges the folder in which the work was done."),
    Key("gates[].setup", field_types.TEXT, "gate.setup", "A command that runs first in the clean checkout, to build what git does not record."),
    Key("gates[].hidden", field_types.PATH, "gate.hidden", "A file or folder that no workspace contains, relative to this file or absolute. It is put into the clean checkout, under its own name, while this gate runs; agents learn only whether it passed, and a count."),
    Key("gates[].judges", field_types.GLOBS, "gate.judges", "More files that judge the work, in addition to those that Ralph finds; a leading `!` marks files as work."),
    Key("flaky_passes", integer(0), "policy.flaky_passes", "How often a claim that turns a red gate green must pass it, against chance. With 1, a red start is also believed at once.", "3; 6 where a pass takes under 5 s"),
    Key("reproduce", choice("auto", "report", "require", "off"), "policy.reproduce", "Whether the new tests of a claim must fail on the starting code: `require` rejects it otherwise, `report` says so in the evidence, `auto` requires it of tasks of the type `bug`.", "`auto`"),
    Key("baseline", choice("green", "allow-red"), "policy.baseline", "Whether a claim must make a gate green that was red at the start. `allow-red`: tests that failed there may fail still, and only new failures reject it; for runners that name their tests.", "`green`"),
    Key("stuck.same_error_shift", integer(1), "stuck.same_error_shift", "Equal errors in a row before the strategy shifts."),
    Key("stuck.same_error_stop", integer(1), "stuck.same_error_stop", "Equal errors in a row before the loop ends as stuck."),
    Key("stuck.no_progress_nudge", integer(1), "stuck.no_progress_nudge", "Iterations without a change before the prompt says so."),
    Key("stuck.no_progress_stop", integer(0), "stuck.no_progress_stop", "Iterations without a change before the loop ends as stuck; 0: never."),
    Key("core.scratchpad", hat_field_types.KEPT_NOTES, "policy.scratchpad", "The agent's notes from one iteration to the next; may contain `{taskId}`."),
    Key("core.specs_dir", field_types.PATH, "policy.specs_dir", "The folder of specifications: every prompt names it.", "none"),
    Key("core.guardrails", field_types.GUIDANCE, "policy.guidance", "Your own rules, put into every prompt."),
    Key("memories.enabled", field_types.BOOLEAN, "memories.enabled", "Whether agents keep memories beyond the loop, in `.ralph/agent/memories.md`."),
    Key("memories.inject", choice("auto", "manual", "none"), "memories.inject", "How memories reach a prompt: automatically, only as a hint that the agent can look them up, or not at all."),
    Key("memories.budget", integer(0), "memories.budget", "Tokens of memories in one prompt, the most relevant first; 0: no limit.", "2000; in older files 0"),
    Key("tasks.enabled", field_types.BOOLEAN, "policy.todos", "Whether the open todos of the agent's own list are in its prompts."),
    Key("task.id", field_types.IDENTIFIER, "task.id", "The task's id.", "made from the title"),
    Key("task.title", field_types.LINE, "task.title", "The task's title.", "the prompt's first line"),
    Key("task.description", field_types.TEXT, "task.description", "What to do, in place of `event_loop.prompt`.", "the prompt"),
    Key("task.criteria", field_types.TEXTS, "task.criteria", "What must be true when it is done."),
    Key("task.no_change_ok", field_types.BOOLEAN, "task.no_change_ok", "Whether it may be right to change nothing."),
    Key("task.allow", field_types.GLOBS, "task.allow", "Gate inputs and protected files that this task may change without review."),
    Key("allow", field_types.GLOBS, "policy.allow", "Gate inputs and protected files that any task may change without review."),
    Key("protect", field_types.GLOBS, "policy.protect", "Files that agents may not change: what they do to them is undone. Replaces the usual list.", "`ralph.yml` and the files of CI services"),
    Key("notify", FieldType("list of targets"), "", "Who is notified when a loop ends, needs a person, or waits.", "none"),
    Key("notify[].run", field_types.TEXT, "notify.run", "A command; it gets the message as JSON on standard input. A target has either this or `url`."),
    Key("notify[].url", field_types.LINE, "notify.url", "An address of the apprise library (extra `notify`), for example `slack://${SLACK_TOKEN}`; variables are filled in when it is used."),
    Key("notify[].when", choices(*OCCASIONS), "notify.when", "When: the end of a loop, a loop that needs a person, a wait.", "all of them"),
    Key("env_allow", field_types.VARIABLES, "policy.env_allow", "Variables of your environment that agents and gates get in addition to the usual ones and the agent's own keys; `*` and `?` work, and `*` alone means all of them.", "none"),
    Key("sandbox.kind", choice("none", "bwrap"), "sandbox.kind", "What agents and gates can reach: everything that you can, or (`bwrap`, Linux with bubblewrap) the workspace, the system's programs and what is named here. `sandbox: bwrap` is short for this key alone."),
    Key("sandbox.network", choice("host", "none"), "sandbox.network", "The network inside: that of the machine, or none. An agent needs one to reach its model.", "`host`"),
    Key("sandbox.credentials", field_types.PATHS, "sandbox.credentials", "Files of your home that the agent can read inside; relative to the home folder.", "those that the agent is known to need"),
    Key("sandbox.readable", field_types.PATHS, "sandbox.readable", "More files and folders that agents and gates can read. Inside the workspace: not write."),
    Key("sandbox.writable", field_types.PATHS, "sandbox.writable", "More files and folders that agents and gates can write, such as caches."),
    Key("backlog", field_types.PATH, "", "The list of tasks that `ralph run` works through, relative to this file. With this key, PROMPT.md is not taken for the task.", "`tasks.jsonl` at the top of the repository, where there is no prompt"),
    Key("parallel", integer(1), "work.parallel", "Tasks of the backlog that are worked on at once."),
    Key("event_loop.proposed_generations", integer(0), "work.generations", "Generations of tasks that agents propose which are worked on without your approval: with 1, what the agents of your own tasks propose. Tasks beyond wait for `ralph task accept`."),
    Key("poll_interval_seconds", duration(), "work.poll_seconds", "Time between two looks at the backlog and `.stop` while a run waits for tasks."),
    Key("gate_concurrency", integer(1), "work.gates_at_once", "Gates that run at once, of all the tasks under way."),
    Key("share", field_types.FOLDERS, "work.share", "Folders that git ignores, such as node_modules and .venv, of which every workspace and every clean checkout of a gate gets a copy. Relative to the top of the repository."),
    Key("workspace", choice("clone", "worktree", "in-place"), "", "Where a task is worked on: its own clone, its own worktree, or your folder (only for a prompt). From a clone or worktree, proven work lands as `land` says.", "`clone` for a backlog, `in-place` for a prompt"),
    Key("land.how", choice("merge", "branch", "pr", "none"), "", "Where a backlog's proven work goes: merged into the target, onto a branch `task/...`, into a pull request (by `gh`), or nowhere but a recovery ref. `land: branch` is short for this key alone.", "`merge` for a backlog"),
    Key("land.target", field_types.LINE, "land.target", "The branch that tasks of the backlog start from and land on.", "the one that is checked out"),
    Key("land.merges", integer(0), "land.merges", "How often a task is merged with a target that has moved on before it goes onto a branch instead."),
    Key("push", field_types.BOOLEAN, "land.push", "Whether branches with failed work, and branches that work lands on, are pushed. A pull request's always is."),
    Key("at_end", FieldType("list of reviewers"), "", "Reviewers of everything that a run over a backlog has landed, asked once, after its last task. Their findings are in the report; nothing depends on them.", "none"),
    Key("at_end[].name", field_types.LINE, "gate.name", "Its name in messages; unique.", "`spec`, `quality` or `review`"),
    Key("at_end[].review", field_types.TEXT, "gate.review", "What it looks for: `spec`, `quality`, or your own instructions."),
    *_agent_of(AT_END),
    Key("at_end[].soft_timeout", duration(), "gate.soft_timeout", "Time before a warning.", "600, at most `hard_timeout`"),
    Key("at_end[].hard_timeout", duration(), "gate.hard_timeout", "Time before it is ended without a verdict."),
    Key("require_verified", field_types.BOOLEAN, "policy.require_verified", "Whether only a verified end is a success."),
)
# fmt: on

BY_PATH = {key.path: key for key in KEYS}
SECTIONS = frozenset(path.rpartition(".")[0] for path in BY_PATH if "." in path) - {*LISTS, *NAMED.values()}


def names_in(section: str) -> tuple[str, ...]:
    """The valid names directly in a section ("" is the top level)."""
    paths = [*BY_PATH, *SECTIONS]
    inside = [path[len(section) + 1 :] if section else path for path in paths if _parent(path) == section]
    return tuple(sorted(inside))


def _parent(path: str) -> str:
    return path.rpartition(".")[0]
