"""The keys of the older family's ralph.yml, one row each: what Ralph does with it, or what to write instead.

A row that warns is a known key without effect: the file is accepted, and the user told. Keys in no row are unknown.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

ANY = "<name>"  # in a path: whatever name the user gave
ITEM = "[]"  # and each item of a list


class Row(msgspec.Struct, frozen=True):
    path: str
    into: str = ""  # the key of ours that it sets, where that has another name
    default: str = ""  # of that family, where it differs from Ralph's own or Ralph has no such key
    instead: str = ""  # it has no effect: what to use. Empty: it acts
    quiet: tuple[str, ...] = ()  # values for which there is nothing to say: without effect, nothing is lost

    @property
    def acts(self) -> bool:
        return not self.instead


_TOOLS = "The agent's own settings decide which tools it may use; for one hat: `disallowed_tools`."
_ADAPTER = "Use `cli` (`model`, `args`, `env`), or `backend` and `backend_args` of a hat."
_CHECKPOINT = "Each iteration is recorded anyway: `ralph recover` lists the states."
_HOOK = "Use `gates` for checks before completion, `notify` for news, a hat for work."
_BOT = "Use `notify` to be told and `ralph answer` to reply."
_SKILLS = "Agents find their own skills; what every iteration must know goes into `core.guardrails`."
_FILTER = "Memories are chosen by relevance, within `memories.budget`."
_PROJECT = "Write it under `core` (`specs_dir`) or `event_loop` (`prompt_file`)."
_BACKPRESSURE = (
    "Write it as a gate: `gates: [{name: ..., run: ...}]`. Gates are run by Ralph before it completes."
)
_CONTEXT = "Each iteration is a fresh context; the agent itself says when it is full."
_RECORDED = "Everything is in the journal: `ralph events`, `ralph report`."

# fmt: off
# ruff: noqa: E501 - one row a key: the table is read by columns
ROWS: tuple[Row, ...] = (
    # the loop
    Row("event_loop.prompt"),
    Row("event_loop.prompt_file", default="PROMPT.md"),
    Row("event_loop.completion_promise", default="LOOP_COMPLETE"),
    Row("event_loop.max_iterations", default="100"),
    Row("event_loop.max_runtime_seconds", default="14400"),
    Row("event_loop.max_cost_usd"),
    Row("event_loop.max_consecutive_failures", default="5"),
    Row("event_loop.cooldown_delay_seconds", default="0"),
    Row("event_loop.starting_event"),
    Row("event_loop.persistent", default="false"),
    Row("event_loop.required_events"),
    Row("event_loop.cancellation_promise"),
    Row("event_loop.enforce_hat_scope", default="false"),
    Row("event_loop.idle_timeout_secs", into="event_loop.idle_timeout"),
    Row("event_loop.starting_hat", instead="Use `event_loop.starting_event` with a topic that this hat triggers on."),
    Row("event_loop.mutation_score_warn_threshold", instead="Write a gate that fails below the score, with `hard: false` to be warned only."),
    Row("event_loop.checkpoint_interval", instead=_CHECKPOINT),
    Row("event_loop.completion_gates", instead=_BACKPRESSURE),
    Row("event_loop.max_wave_total", default="64", instead="The hats of a loop work one after another."),
    Row("event_loop.verbose", instead="Use `ralph run -v`.", quiet=("false",)),
    # the agent
    Row("cli.backend", default="claude"),
    Row("cli.command"),
    Row("cli.args"),
    Row("cli.prompt_mode", default="arg"),
    Row("cli.prompt_flag", default="-p"),
    Row("cli.idle_timeout_secs", default="30", instead="It is about interactive sessions; use `event_loop.idle_timeout`."),
    Row("cli.timeout", instead="Use `event_loop.iteration_timeout` or `event_loop.idle_timeout`."),
    Row("cli.default_mode", default="autonomous", instead="Ralph always works on its own.", quiet=("autonomous",)),
    # what every prompt holds
    Row("core.scratchpad", default=".ralph/agent/scratchpad.md"),
    Row("core.scratchpad.enabled", default="true"),
    Row("core.scratchpad.path", into="core.scratchpad"),
    Row("core.specs_dir", default=".ralph/specs/"),
    Row("core.guardrails"),
    # hats
    Row(f"hats.{ANY}.name"),
    Row(f"hats.{ANY}.description"),
    Row(f"hats.{ANY}.triggers"),
    Row(f"hats.{ANY}.publishes"),
    Row(f"hats.{ANY}.instructions"),
    Row(f"hats.{ANY}.extra_instructions"),
    Row(f"hats.{ANY}.default_publishes"),
    Row(f"hats.{ANY}.max_activations"),
    Row(f"hats.{ANY}.backend"),
    Row(f"hats.{ANY}.backend.type"),
    Row(f"hats.{ANY}.backend.command"),
    Row(f"hats.{ANY}.backend.args"),
    Row(f"hats.{ANY}.backend.agent"),
    Row(f"hats.{ANY}.backend_args"),
    Row(f"hats.{ANY}.args", into=f"hats.{ANY}.backend_args"),
    Row(f"hats.{ANY}.disallowed_tools"),
    Row(f"hats.{ANY}.prompt_suffix", instead="Write it under `instructions` of the hat."),
    Row(f"hats.{ANY}.instructions_file", instead="Write the text under `instructions` of the hat."),
    Row(f"hats.{ANY}.timeout"),
    Row(f"hats.{ANY}.scratchpad"),
    Row(f"hats.{ANY}.scratchpad.enabled", default="true"),
    Row(f"hats.{ANY}.scratchpad.path", into=f"hats.{ANY}.scratchpad"),
    Row(f"hats.{ANY}.aggregate.mode", default="wait_for_all"),
    Row(f"hats.{ANY}.aggregate.timeout", default="300", instead=f"Set the time limit of the hats it waits for: `hats.{ANY}.timeout`."),
    Row(f"hats.{ANY}.concurrency", default="1", instead="The hats of a loop work one after another; independent tasks run side by side with `ralph run --parallel N`.", quiet=("1",)),
    # what events mean
    Row(f"events.{ANY}.description"),
    Row(f"events.{ANY}.on_trigger"),
    Row(f"events.{ANY}.on_publish"),
    # notes of the agents
    Row("memories.enabled", default="true"),
    Row("memories.inject", default="auto"),
    Row("memories.budget", default="0"),
    Row("memories.filter.types", instead=_FILTER, quiet=("[]",)),
    Row("memories.filter.tags", instead=_FILTER, quiet=("[]",)),
    Row("memories.filter.recent", instead=_FILTER, quiet=("0",)),
    Row("tasks.enabled", default="true"),
    # what Ralph does in another way
    Row("skills.enabled", default="true", instead=_SKILLS, quiet=("false",)),
    Row("skills.dirs", instead=_SKILLS, quiet=("[]",)),
    Row(f"skills.overrides.{ANY}.enabled", instead=_SKILLS),
    Row(f"skills.overrides.{ANY}.hats", instead=_SKILLS),
    Row(f"skills.overrides.{ANY}.backends", instead=_SKILLS),
    Row(f"skills.overrides.{ANY}.tags", instead=_SKILLS),
    Row(f"skills.overrides.{ANY}.auto_inject", instead=_SKILLS),
    Row("hooks.enabled", default="false", instead=_HOOK, quiet=("false",)),
    Row("hooks.defaults.timeout_seconds", default="30", instead=_HOOK),
    Row("hooks.defaults.max_output_bytes", default="8192", instead=_HOOK),
    Row("hooks.defaults.suspend_mode", instead=_HOOK),
    *(
        Row(f"hooks.events.{ANY}{ITEM}.{key}", instead=_HOOK)
        for key in ("name", "command", "cwd", "env", "timeout_seconds", "max_output_bytes", "on_error", "suspend_mode", "mutate")
    ),
    Row("features.parallel", default="true", instead="Tasks of a backlog run side by side with `ralph run --parallel N`.", quiet=("false", "true")),
    Row("features.auto_merge", default="false", instead="Use `land` to say where finished work goes.", quiet=("false",)),
    Row("features.preflight.enabled", default="false", instead="Run `ralph doctor`.", quiet=("false", "true")),
    Row("features.preflight.strict", default="false", instead="Run `ralph doctor`.", quiet=("false",)),
    Row("features.preflight.skip", instead="Run `ralph doctor`.", quiet=("[]",)),
    Row("features.loop_naming.format", instead="Branches are named after their tasks.", quiet=("human-readable",)),
    Row("features.loop_naming.max_length", default="50", instead="Branches are named after their tasks."),
    Row("RObot.enabled", default="false", instead=_BOT, quiet=("false",)),
    Row("RObot.timeout_seconds", instead="Use `event_loop.human_timeout_seconds`: how long a loop waits for an answer."),
    Row("RObot.checkin_interval_seconds", instead=_BOT),
    Row("RObot.telegram.bot_token", instead=_BOT),
    Row("RObot.telegram.api_url", instead=_BOT),
    Row("tui.prefix_key", default="ctrl-a", instead="The live view needs no prefix key; `--no-tui` turns it off."),
    Row(f"adapters.{ANY}.timeout", into="event_loop.idle_timeout", default="300"),
    Row(f"adapters.{ANY}.enabled", default="true", instead="Use `cli.backend`, and `fallback` for who goes on when it cannot.", quiet=("true",)),
    Row(f"adapters.{ANY}.tool_permissions", instead=_TOOLS),
    Row(f"adapters.{ANY}.model", instead=_ADAPTER),
    Row(f"adapters.{ANY}.args", instead=_ADAPTER, quiet=("[]",)),
    Row(f"adapters.{ANY}.env", instead=_ADAPTER, quiet=("{}",)),
    Row(f"adapters.{ANY}.max_retries", instead="Use `event_loop.max_consecutive_failures`."),
    # the flat keys of the first version
    Row("agent", into="cli.backend"),
    Row("agent_priority", instead="Use `cli.backend`, and `fallback` for who goes on when it cannot."),
    Row("prompt_file", into="event_loop.prompt_file"),
    Row("completion_promise", into="event_loop.completion_promise"),
    Row("max_iterations", into="event_loop.max_iterations"),
    Row("max_runtime", into="event_loop.max_runtime_seconds"),
    Row("max_cost", into="event_loop.max_cost_usd"),
    Row("max_tokens", instead="Use `event_loop.max_tokens`: what a whole loop may use."),
    Row("retry_delay", into="event_loop.crash_wait"),
    Row("verbose", instead="Use `ralph run -v`.", quiet=("false",)),
    Row("dry_run", instead="Use `ralph validate`, which runs nothing.", quiet=("false",)),
    Row("archive_prompts", instead=_RECORDED, quiet=("false", "true")),
    Row("enable_metrics", instead=_RECORDED, quiet=("false", "true")),
    Row("iteration_telemetry", instead=_RECORDED, quiet=("false", "true")),
    Row("output_preview_length", instead=_RECORDED),
    Row("checkpoint_interval", instead=_CHECKPOINT),
    Row("git_checkpoint", instead=_CHECKPOINT, quiet=("false", "true")),
    Row("context_window", instead=_CONTEXT),
    Row("context_threshold", instead=_CONTEXT),
    Row("max_prompt_size", instead="A prompt may have any size that the agent takes."),
    Row("allow_unsafe_paths", instead="Paths are taken as they are written.", quiet=("false",)),
    # written by many, read by no version of that family
    Row("project.prompt", instead=_PROJECT),
    Row("project.prompt_file", instead=_PROJECT),
    Row("project.specs_dir", instead=_PROJECT),
    Row(f"backpressure.gates{ITEM}.name", instead=_BACKPRESSURE),
    Row(f"backpressure.gates{ITEM}.command", instead=_BACKPRESSURE),
    Row(f"backpressure.gates{ITEM}.on_fail", instead=_BACKPRESSURE),
    *(Row(f"backpressure{ITEM}.{key}", instead=_BACKPRESSURE) for key in ("name", "command", "on_failure", "message")),
    Row("_suppress_warnings", instead="Warnings do not stop a run; correct the file to be rid of them.", quiet=("false", "true")),
)
# fmt: on

_BY_PARTS = {tuple(row.path.split(".")): row for row in ROWS}


def row_for(parts: tuple[str, ...]) -> Row | None:
    """The row of this key. `parts` are the names on the way to it; an item of a list ends its name with `[]`. A name
    may hold dots, as hook phases and event topics do."""
    exact = _BY_PARTS.get(parts)
    if exact is not None:
        return exact
    return next((row for known, row in _BY_PARTS.items() if _fits(known, parts)), None)


# Keys that Ralph has as well, but that only come up in files of that family.
_MARKS = (
    *("memories.", "tasks.", "core.specs_dir", "event_loop.starting_event", "event_loop.persistent"),
    *("event_loop.required_events", "event_loop.cancellation_promise", "event_loop.enforce_hat_scope"),
    "event_loop.cooldown_delay_seconds",
)
_WRITTEN_BY_INIT = frozenset({"event_loop.prompt_file", "event_loop.completion_promise"})  # both: by theirs
ALONE = "<older>"  # stands among the keys of a file that has keys which only that family has


def of_the_family(keys: Iterable[str]) -> bool:
    """Whether the file with these keys was written for that family, so that its defaults hold: it has hats, or a key of
    theirs (or what their `init` writes) and none that only Ralph has."""
    keys = set(keys)
    if keys & {"hats", "events"}:
        return True
    theirs = {ALONE} | {row.into for row in ROWS}
    only_ours = {key for key in keys - theirs if row_for(tuple(key.split("."))) is None}
    marked = keys >= _WRITTEN_BY_INIT or any(key == ALONE or key.startswith(_MARKS) for key in keys)
    return marked and not only_ours


def anchors(name: str) -> bool:
    """A top-level key that only holds YAML anchors, as `_shared: &shared ...`; said to be ignored by all who write it."""
    return name.startswith(("_", "x-")) and name != "_suppress_warnings"


def _fits(known: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    return len(known) == len(parts) and all(
        one == other or (one == ANY and ITEM not in other) or (one == ANY + ITEM and other.endswith(ITEM))
        for one, other in zip(known, parts, strict=True)
    )
