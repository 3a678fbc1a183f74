"""The keys of the older family's ralph.yml, one row each: what Ralph does with it, or what to write instead.

A row that warns is a known key without effect: the file is accepted, and the user is warned. Keys in no row are unknown.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ralph.config.problems import Spot
from ralph.config.yaml_lines import Mapping, Node, Scalar, Sequence, entries, shown_key

ANY = "<name>"  # in a path: whatever name the user gave
ITEM = "[]"  # and each item of a list


class LegacyKey(msgspec.Struct, frozen=True):
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
_BOT = "Use `notify` to be notified and `ralph answer` to reply."
_SKILLS = "Agents find their own skills; what every iteration must know goes into `core.guardrails`."
_FILTER = "Memories are chosen by relevance, within `memories.budget`."
_PROJECT = "Write it under `core` (`specs_dir`) or `event_loop` (`prompt_file`)."
_BACKPRESSURE = (
    "Write it as a gate: `gates: [{name: ..., run: ...}]`. Gates are run by Ralph before it completes."
)
_NO_TERMINAL = "Agents run without a terminal; `ralph logs --follow` shows what they do."
_CONTEXT = "Each iteration is a fresh context; the agent itself says when it is full."
_RECORDED = "Everything is in the journal: `ralph events`, `ralph report`."

# fmt: off
# ruff: noqa: E501 - one row a key: the table is read by columns
ROWS: tuple[LegacyKey, ...] = (
    # the loop
    LegacyKey("event_loop.prompt"),
    LegacyKey("event_loop.prompt_file", default="PROMPT.md"),
    LegacyKey("event_loop.completion_promise", default="LOOP_COMPLETE"),
    LegacyKey("event_loop.max_iterations", default="100"),
    LegacyKey("event_loop.max_runtime_seconds", default="14400"),
    LegacyKey("event_loop.max_cost_usd"),
    LegacyKey("event_loop.max_consecutive_failures", default="5"),
    LegacyKey("event_loop.cooldown_delay_seconds", default="0"),
    LegacyKey("event_loop.starting_event"),
    LegacyKey("event_loop.persistent", default="false"),
    LegacyKey("event_loop.required_events"),
    LegacyKey("event_loop.cancellation_promise"),
    LegacyKey("event_loop.enforce_hat_scope", default="false"),
    LegacyKey("event_loop.idle_timeout_secs", into="event_loop.idle_timeout"),
    LegacyKey("event_loop.starting_hat", instead="Use `event_loop.starting_event` with a topic that this hat triggers on."),
    LegacyKey("event_loop.mutation_score_warn_threshold", instead="Write a gate that fails below the score, with `hard: false` to be warned only."),
    LegacyKey("event_loop.checkpoint_interval", instead=_CHECKPOINT),
    LegacyKey("event_loop.completion_gates", instead=_BACKPRESSURE),
    LegacyKey("event_loop.max_wave_total", default="64", instead="The hats of a loop work one after another."),
    LegacyKey("event_loop.context_window_tokens", instead=_CONTEXT),
    LegacyKey("event_loop.verbose", instead="Use `ralph run -v`.", quiet=("false",)),
    # the agent
    LegacyKey("cli.backend", default="claude"),
    LegacyKey("cli.command"),
    LegacyKey("cli.args"),
    LegacyKey("cli.prompt_mode", default="arg"),
    LegacyKey("cli.prompt_flag", default="-p"),
    LegacyKey("cli.idle_timeout_secs", default="30", instead="It is about interactive sessions; use `event_loop.idle_timeout`."),
    LegacyKey("cli.timeout", instead="Use `event_loop.iteration_timeout` or `event_loop.idle_timeout`."),
    LegacyKey("cli.default_mode", default="autonomous", instead="Ralph always works on its own.", quiet=("autonomous",)),
    LegacyKey("cli.pty_mode", default="false", instead=_NO_TERMINAL, quiet=("false",)),
    LegacyKey("cli.pty_interactive", default="true", instead=_NO_TERMINAL, quiet=("false", "true")),
    LegacyKey("cli.context_window_tokens", instead=_CONTEXT),
    # what every prompt holds
    LegacyKey("core.scratchpad", default=".ralph/agent/scratchpad.md"),
    LegacyKey("core.scratchpad.enabled", default="true"),
    LegacyKey("core.scratchpad.path", into="core.scratchpad"),
    LegacyKey("core.specs_dir", default=".ralph/specs/"),
    LegacyKey("core.guardrails"),
    # hats
    LegacyKey(f"hats.{ANY}.name"),
    LegacyKey(f"hats.{ANY}.description"),
    LegacyKey(f"hats.{ANY}.triggers"),
    LegacyKey(f"hats.{ANY}.publishes"),
    LegacyKey(f"hats.{ANY}.instructions"),
    LegacyKey(f"hats.{ANY}.extra_instructions"),
    LegacyKey(f"hats.{ANY}.default_publishes"),
    LegacyKey(f"hats.{ANY}.max_activations"),
    LegacyKey(f"hats.{ANY}.backend"),
    LegacyKey(f"hats.{ANY}.backend.type"),
    LegacyKey(f"hats.{ANY}.backend.command"),
    LegacyKey(f"hats.{ANY}.backend.args"),
    LegacyKey(f"hats.{ANY}.backend.agent"),
    LegacyKey(f"hats.{ANY}.backend_args"),
    LegacyKey(f"hats.{ANY}.args", into=f"hats.{ANY}.backend_args"),
    LegacyKey(f"hats.{ANY}.disallowed_tools"),
    LegacyKey(f"hats.{ANY}.prompt_suffix", instead="Write it under `instructions` of the hat."),
    LegacyKey(f"hats.{ANY}.instructions_file", instead="Write the text under `instructions` of the hat."),
    LegacyKey(f"hats.{ANY}.timeout"),
    LegacyKey(f"hats.{ANY}.scratchpad"),
    LegacyKey(f"hats.{ANY}.scratchpad.enabled", default="true"),
    LegacyKey(f"hats.{ANY}.scratchpad.path", into=f"hats.{ANY}.scratchpad"),
    LegacyKey(f"hats.{ANY}.aggregate.mode", default="wait_for_all"),
    LegacyKey(f"hats.{ANY}.aggregate.timeout", default="300", instead=f"Set the time limit of the hats it waits for: `hats.{ANY}.timeout`."),
    LegacyKey(f"hats.{ANY}.context_window_tokens", instead=_CONTEXT),
    LegacyKey(f"hats.{ANY}.concurrency", default="1", instead="The hats of a loop work one after another; independent tasks run side by side with `ralph run --parallel N`.", quiet=("1",)),
    # what events mean
    LegacyKey(f"events.{ANY}.description"),
    LegacyKey(f"events.{ANY}.on_trigger"),
    LegacyKey(f"events.{ANY}.on_publish"),
    # notes of the agents
    LegacyKey("memories.enabled", default="true"),
    LegacyKey("memories.inject", default="auto"),
    LegacyKey("memories.budget", default="0"),
    LegacyKey("memories.filter.types", instead=_FILTER, quiet=("[]",)),
    LegacyKey("memories.filter.tags", instead=_FILTER, quiet=("[]",)),
    LegacyKey("memories.filter.recent", instead=_FILTER, quiet=("0",)),
    LegacyKey("tasks.enabled", default="true"),
    # what Ralph does in another way
    LegacyKey("skills.enabled", default="true", instead=_SKILLS, quiet=("false",)),
    LegacyKey("skills.dirs", instead=_SKILLS, quiet=("[]",)),
    LegacyKey(f"skills.overrides.{ANY}.enabled", instead=_SKILLS),
    LegacyKey(f"skills.overrides.{ANY}.hats", instead=_SKILLS),
    LegacyKey(f"skills.overrides.{ANY}.backends", instead=_SKILLS),
    LegacyKey(f"skills.overrides.{ANY}.tags", instead=_SKILLS),
    LegacyKey(f"skills.overrides.{ANY}.auto_inject", instead=_SKILLS),
    LegacyKey("hooks.enabled", default="false", instead=_HOOK, quiet=("false",)),
    LegacyKey("hooks.defaults.timeout_seconds", default="30", instead=_HOOK),
    LegacyKey("hooks.defaults.max_output_bytes", default="8192", instead=_HOOK),
    LegacyKey("hooks.defaults.suspend_mode", instead=_HOOK),
    *(
        LegacyKey(f"hooks.events.{ANY}{ITEM}.{key}", instead=_HOOK)
        for key in ("name", "command", "cwd", "env", "timeout_seconds", "max_output_bytes", "on_error", "suspend_mode", "mutate")
    ),
    LegacyKey("features.parallel", default="true", instead="Tasks of a backlog run side by side with `ralph run --parallel N`.", quiet=("false", "true")),
    LegacyKey("features.auto_merge", default="false", instead="Use `land` to say where finished work goes.", quiet=("false",)),
    LegacyKey("features.preflight.enabled", default="false", instead="Run `ralph doctor`.", quiet=("false", "true")),
    LegacyKey("features.preflight.strict", default="false", instead="Run `ralph doctor`.", quiet=("false",)),
    LegacyKey("features.preflight.skip", instead="Run `ralph doctor`.", quiet=("[]",)),
    LegacyKey("features.loop_naming.format", instead="Branches are named after their tasks.", quiet=("human-readable",)),
    LegacyKey("features.loop_naming.max_length", default="50", instead="Branches are named after their tasks."),
    LegacyKey("RObot.enabled", default="false", instead=_BOT, quiet=("false",)),
    LegacyKey("RObot.mode", instead=_BOT),
    LegacyKey("RObot.timeout_seconds", instead="Use `event_loop.human_timeout_seconds`: how long a loop waits for an answer."),
    LegacyKey("RObot.checkin_interval_seconds", instead=_BOT),
    LegacyKey("RObot.telegram.bot_token", instead=_BOT),
    LegacyKey("RObot.telegram.api_url", instead=_BOT),
    LegacyKey("tui.prefix_key", default="ctrl-a", instead="The live view needs no prefix key; `--no-tui` turns it off."),
    LegacyKey(f"adapters.{ANY}.timeout", into="event_loop.idle_timeout", default="300"),
    LegacyKey(f"adapters.{ANY}.enabled", default="true", instead="Use `cli.backend`, and `fallback` for the agents that take over when it cannot.", quiet=("true",)),
    LegacyKey(f"adapters.{ANY}.tool_permissions", instead=_TOOLS),
    LegacyKey(f"adapters.{ANY}.model", instead=_ADAPTER),
    LegacyKey(f"adapters.{ANY}.args", instead=_ADAPTER, quiet=("[]",)),
    LegacyKey(f"adapters.{ANY}.env", instead=_ADAPTER, quiet=("{}",)),
    LegacyKey(f"adapters.{ANY}.context_window_tokens", instead=_CONTEXT),
    LegacyKey(f"adapters.{ANY}.max_retries", instead="Use `event_loop.max_consecutive_failures`."),
    # the flat keys of the first version
    LegacyKey("agent", into="cli.backend"),
    LegacyKey("agent_priority", instead="Use `cli.backend`, and `fallback` for the agents that take over when it cannot."),
    LegacyKey("prompt_file", into="event_loop.prompt_file"),
    LegacyKey("completion_promise", into="event_loop.completion_promise"),
    LegacyKey("max_iterations", into="event_loop.max_iterations"),
    LegacyKey("max_runtime", into="event_loop.max_runtime_seconds"),
    LegacyKey("max_cost", into="event_loop.max_cost_usd"),
    LegacyKey("max_tokens", instead="Use `event_loop.max_tokens`: what a whole loop may use."),
    LegacyKey("retry_delay", into="event_loop.crash_wait"),
    LegacyKey("verbose", instead="Use `ralph run -v`.", quiet=("false",)),
    LegacyKey("dry_run", instead="Use `ralph validate`, which runs nothing.", quiet=("false",)),
    LegacyKey("archive_prompts", instead=_RECORDED, quiet=("false", "true")),
    LegacyKey("enable_metrics", instead=_RECORDED, quiet=("false", "true")),
    LegacyKey("iteration_telemetry", instead=_RECORDED, quiet=("false", "true")),
    LegacyKey("output_preview_length", instead=_RECORDED),
    LegacyKey("checkpoint_interval", instead=_CHECKPOINT),
    LegacyKey("git_checkpoint", instead=_CHECKPOINT, quiet=("false", "true")),
    LegacyKey("context_window", instead=_CONTEXT),
    LegacyKey("context_window_tokens", instead=_CONTEXT),
    LegacyKey("context_threshold", instead=_CONTEXT),
    LegacyKey("max_prompt_size", instead="A prompt may have any size that the agent takes."),
    LegacyKey("allow_unsafe_paths", instead="Paths are taken as they are written.", quiet=("false",)),
    # written by many, read by no version of that family
    LegacyKey("project.prompt", instead=_PROJECT),
    LegacyKey("project.prompt_file", instead=_PROJECT),
    LegacyKey("project.specs_dir", instead=_PROJECT),
    LegacyKey("resources.max_tokens", instead="Use `event_loop.max_tokens`: what a whole loop may use."),
    LegacyKey("resources.max_cost", instead="Use `event_loop.max_cost_usd`."),
    LegacyKey("resources.context_window", instead=_CONTEXT),
    LegacyKey("resources.context_threshold", instead=_CONTEXT),
    LegacyKey("telemetry.enabled", instead=_RECORDED, quiet=("false", "true")),
    LegacyKey("telemetry.output_preview_length", instead=_RECORDED),
    LegacyKey("safety.max_prompt_size", instead="A prompt may have any size that the agent takes."),
    LegacyKey("safety.allow_unsafe_paths", instead="Paths are taken as they are written.", quiet=("false",)),
    LegacyKey(f"backpressure.gates{ITEM}.name", instead=_BACKPRESSURE),
    LegacyKey(f"backpressure.gates{ITEM}.command", instead=_BACKPRESSURE),
    LegacyKey(f"backpressure.gates{ITEM}.on_fail", instead=_BACKPRESSURE),
    *(LegacyKey(f"backpressure{ITEM}.{key}", instead=_BACKPRESSURE) for key in ("name", "command", "on_failure", "message")),
    LegacyKey("_suppress_warnings", instead="Warnings do not stop a run; correct the file to be rid of them.", quiet=("false", "true")),
)
# fmt: on


class Branch(msgspec.Struct):
    """The rows as a tree: what the family knows below a name."""

    row: LegacyKey | None = None
    names: dict[str, Branch] = {}
    items: Branch | None = None  # of a list

    def below(self, name: str) -> Branch | None:
        return self.names.get(name) or self.names.get(ANY)

    @property
    def inside(self) -> Branch | None:
        """What it knows in a mapping here; one in place of a list is taken as its only item."""
        return self if self.names else self.items


def _tree() -> Branch:
    root = Branch()
    for row in ROWS:
        branch = root
        for part in row.path.split("."):
            branch = branch.names.setdefault(part.removesuffix(ITEM), Branch())
            if part.endswith(ITEM):
                branch.items = branch = branch.items or Branch()
        branch.row = row
    return root


_ROOT = _tree()


def find(parts: Iterable[str]) -> Branch:
    """`parts` are the names on the way to it. A name may hold dots, as hook phases and event topics do."""
    found: Branch | None = _ROOT
    for part in parts:
        found = found and found.below(part)
    return found or Branch()


# Keys that Ralph has as well, but that only come up in files of that family.
_MARKS = (
    *("memories.", "tasks.", "core.specs_dir", "event_loop.starting_event", "event_loop.persistent"),
    *("event_loop.required_events", "event_loop.cancellation_promise", "event_loop.enforce_hat_scope"),
    "event_loop.cooldown_delay_seconds",
)
_WRITTEN_BY_INIT = frozenset({"event_loop.prompt_file", "event_loop.completion_promise"})  # both: by theirs
ALONE = "<older>"  # stands among the keys of a file that has keys which only that family has


def is_legacy_file(keys: Iterable[str]) -> bool:
    """Whether the file with these keys was written for that family, so that its defaults hold: it has hats, or a key of
    theirs (or what their `init` writes) and none that only Ralph has."""
    keys = set(keys)
    if keys & {"hats", "events"}:
        return True
    theirs = {ALONE} | {row.into for row in ROWS}
    only_ours = {key for key in keys - theirs if find(key.split(".")).row is None}
    marked = keys >= _WRITTEN_BY_INIT or any(key == ALONE or key.startswith(_MARKS) for key in keys)
    return marked and not only_ours


def anchors(name: str) -> bool:
    """A top-level key that only holds YAML anchors, as `_shared: &shared ...`; said to be ignored by all who write it."""
    return name.startswith(("_", "x-")) and name != "_suppress_warnings"


# the row, the names on the way, what is said, and where
Renamed = list[tuple[LegacyKey, tuple[str, ...], Node, Spot]]


def read_legacy_key(parts: tuple[str, ...], node: Node, spot: Spot, renamed: Renamed) -> bool:
    """Whether the older family knows this key. What has another name here is put into `renamed`."""
    return _take(find(parts), parts, node, spot, renamed, told=True)


def names_below(branch: Branch) -> tuple[str, ...]:
    """The names that the family knows directly in this section."""
    return tuple(name for name in branch.names if name != ANY)


def _take(
    branch: Branch, parts: tuple[str, ...], node: Node, spot: Spot, renamed: Renamed, *, told: bool
) -> bool:
    if (row := branch.row) is not None:
        if row.into:
            renamed.append((row, parts, node, spot))
        elif row.acts:  # as a key of Ralph's own, which is read elsewhere
            return False
        elif told and not _says_nothing(row, node):
            _tell_once(row, spot)
        return True
    if branch.inside is None:
        return False
    if isinstance(node, Sequence) and branch.items:
        for index, item in enumerate(node.items):
            _inside(branch.items, parts, item, spot.item(index, item.line), renamed, told=told)
    else:
        _inside(branch.inside, parts, node, spot, renamed, told=told)
    return True


def _inside(
    branch: Branch, parts: tuple[str, ...], node: Node, spot: Spot, renamed: Renamed, *, told: bool
) -> None:
    if not isinstance(node, Mapping):
        if told and not (isinstance(node, Scalar) and node.means == "null"):
            _tell_once(_first(branch), spot)
        return
    pairs = entries(node, spot)
    told = told and not any(key.text == "enabled" and _is_false(value) for key, value in pairs)
    for key, value in pairs:
        at = spot.key(shown_key(key.text), key.line)
        below = branch.below(key.text) or Branch()
        if not _take(below, (*parts, key.text), value, at, renamed, told=told):
            at.wrong("unknown key", key.text, among=names_below(branch))


def _first(branch: Branch) -> LegacyKey:
    """The first row below that says what to use instead."""
    while branch.row is None or not branch.row.instead:
        branch = next(iter(branch.names.values()), None) or branch.items or Branch()
    return branch.row


def _tell_once(row: LegacyKey, spot: Spot) -> None:
    """The same advice for each key of a section would hide the others."""
    what = f"has no effect. {row.instead}"
    top = spot.path.partition(".")[0].partition("[")[0]
    same = (p for p in spot.problems.noted if p.what == what)
    if not any(p.path.partition(".")[0].partition("[")[0] == top for p in same):
        spot.warn(what)


def _says_nothing(row: LegacyKey, node: Node) -> bool:
    match node:
        case Scalar(means="null"):
            return True
        case Scalar(means="boolean"):
            return ("false" if _is_false(node) else "true") in row.quiet
        case Scalar():
            return node.text in row.quiet
        case Sequence():
            return "[]" in row.quiet and not node.items
        case Mapping():
            return "{}" in row.quiet and not node.pairs


def _is_false(node: Node) -> bool:
    return (
        isinstance(node, Scalar) and node.means == "boolean" and node.text.lower() in ("false", "no", "off")
    )
