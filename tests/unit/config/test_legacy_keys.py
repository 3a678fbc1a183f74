"""The older family's keys: every one is known, and says what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from ralph.config.legacy import ROWS, Branch, LegacyKey, anchors, find
from ralph.config.schema import BY_PATH

# The shapes that public files have; the values are made up.
FILES = {
    "board": """
event_loop: {prompt_file: PROMPT.md, completion_promise: LOOP_COMPLETE, max_iterations: 100,
  max_runtime_seconds: 3600, cooldown_delay_seconds: 30, starting_event: board.scan, persistent: true}
cli: {backend: claude}
hats:
  finisher: {name: F, description: d, triggers: [work.finish], publishes: [board.rescan],
    default_publishes: board.rescan, instructions: i}
tasks: {enabled: true}
memories: {enabled: true, inject: auto, budget: 2000}
RObot: {enabled: false}
""",
    "first version": """
agent: auto
agent_priority: [claude, kiro]
prompt_file: PROMPT.md
max_iterations: 100
max_runtime: 14400
checkpoint_interval: 5
retry_delay: 2
max_tokens: 1000000
max_cost: 50.0
context_window: 200000
context_threshold: 0.8
archive_prompts: true
git_checkpoint: true
enable_metrics: true
iteration_telemetry: true
output_preview_length: 500
verbose: false
dry_run: false
max_prompt_size: 10485760
allow_unsafe_paths: false
adapters:
  claude: {enabled: true, timeout: 300, max_retries: 3, args: [], tool_permissions: [read], model: m}
  q: {env: {}}
""",
    "reviews in a wave": """
event_loop: {prompt: p, required_events: [review.done], max_cost_usd: 3, max_consecutive_failures: 5,
  cancellation_promise: loop.cancel, enforce_hat_scope: true, idle_timeout_secs: 1800, checkpoint_interval: 3,
  mutation_score_warn_threshold: 50, starting_hat: a}
cli: {backend: custom, command: c, args: [], prompt_mode: arg, prompt_flag: -p, default_mode: autonomous,
  idle_timeout_secs: 30, timeout: 900}
core: {scratchpad: {enabled: true, path: s}, specs_dir: ./specs/, guardrails: [a]}
hats:
  reviewer: {triggers: [a], concurrency: 3, timeout: 600, backend: {type: kiro, agent: x, args: []},
    backend_args: [], args: [], max_activations: 3, extra_instructions: [e], disallowed_tools: [Edit],
    scratchpad: {enabled: false}, aggregate: {mode: wait_for_all, timeout: 300}}
events: {build.done: {description: d, on_trigger: t, on_publish: p}}
hooks:
  enabled: true
  defaults: {timeout_seconds: 30}
  events:
    pre.loop.complete:
      - {name: n, command: [c], on_error: block, timeout_seconds: 5}
skills: {enabled: true, dirs: [.claude/skills], overrides: {pdd: {enabled: false, auto_inject: true}}}
features: {parallel: false, auto_merge: false, preflight: {enabled: true, strict: false, skip: []},
  loop_naming: {format: timestamp, max_length: 50}}
memories: {filter: {types: [], tags: [], recent: 30}}
backpressure: {gates: [{name: n, command: c, on_fail: f}]}
project: {prompt: p, specs_dir: s}
tui: {prefix_key: ctrl-a}
RObot: {enabled: true, timeout_seconds: 120, checkin_interval_seconds: 60, telegram: {bot_token: t}}
_suppress_warnings: true
""",
    "a terminal, and chat": """
event_loop: {completion_promise: LOOP_COMPLETE, max_iterations: 100, max_runtime_seconds: 999999999}
cli: {backend: roo, prompt_mode: arg, pty_mode: false, pty_interactive: true, context_window_tokens: 200000,
  idle_timeout_secs: 30, args: [--mode, architect]}
RObot: {enabled: true, mode: polling, timeout_seconds: 120}
resources: {max_tokens: 1000000, max_cost: 50.0, context_window: 200000, context_threshold: 0.8}
telemetry: {enabled: true, output_preview_length: 500}
safety: {max_prompt_size: 10485760, allow_unsafe_paths: false}
""",
}
OPAQUE = {"env", "mutate"}  # mappings that are values


def row_for(parts: tuple[str, ...]) -> LegacyKey | None:
    """An item of a list ends its name with `[]`."""
    found: Branch | None = find(())
    for part in parts:
        found = found and found.below(part.removesuffix("[]"))
        found = found and (found.items if part.endswith("[]") else found)
    return found and found.row


def leaves(value: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict) and value and at[-1:] not in {(name,) for name in OPAQUE}:
        for key, inner in value.items():
            yield from leaves(inner, (*at, str(key)))
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for item in value:
            yield from leaves(item, (*at[:-1], at[-1] + "[]"))
    else:
        yield at


@pytest.mark.parametrize("name", FILES)
def test_every_key_of_files_in_the_wild_is_known(name: str) -> None:
    unknown = [".".join(parts) for parts in leaves(yaml.safe_load(FILES[name])) if row_for(parts) is None]
    assert unknown == []


@pytest.mark.parametrize(
    "parts",
    [("event_loop", "max_iteration"), ("hats", "a", "trigger"), ("nothing",), ("hats",), ("hats", "a")],
)
def test_other_keys_are_not(parts: tuple[str, ...]) -> None:
    assert row_for(parts) is None


def test_each_key_has_one_row_which_acts_or_says_what_to_use() -> None:
    assert len({row.path for row in ROWS}) == len(ROWS)
    for row in ROWS:
        if row.acts:
            assert not row.quiet, row.path
        else:
            assert not row.into and row.instead.endswith("."), row.path


def test_old_names_lead_to_keys_that_there_are() -> None:
    own = {row.path for row in ROWS}
    assert [row.path for row in ROWS if row.into and row.into not in BY_PATH.keys() | own] == []


def test_a_key_that_acts_is_one_of_ralphs_own() -> None:
    """Otherwise it would be accepted and ignored."""
    in_a_value = ("core.scratchpad.", "hats.<name>.scratchpad.")  # mappings that are values: hatkinds.NOTES
    hats = {"hats.<name>.backend"}  # the short form of its keys
    acting = [row.path for row in ROWS if row.acts and not row.into and not row.path.startswith(in_a_value)]
    assert [path for path in acting if path not in BY_PATH.keys() | hats] == []


def test_names_with_dots_are_one_name() -> None:
    assert row_for(("events", "build.done", "on_trigger")) == row_for(("events", "x", "on_trigger"))
    assert row_for(("hooks", "events", "pre.loop.start[]", "command")) is not None


def test_keys_that_only_hold_anchors_are_told_from_keys() -> None:
    assert anchors("_confidence_protocol") and anchors("x-shared")
    assert not anchors("_suppress_warnings") and not anchors("hats")
