"""A file with and one without each key of hats, events and what goes with them."""

from __future__ import annotations

_HEAD = "cli: {command: base-agent}\ngates: [{name: base, run: base-check}]\n"
TEAM = _HEAD + "event_loop: {prompt: p%s}\nhats: {a: {triggers: [x]}}\n"
HAT = _HEAD + "event_loop: {prompt: p}\nhats: {a: {triggers: [x]%s}}\n"
OWN = HAT % ", backend: {command: b%s}"
EVENT = HAT % "" + "events: {x.done: {description: d%s}}\n"
SCAN = HAT % ", scan: {folders: {work: work.propose}%s}"
MORE = _HEAD + "event_loop: {prompt: p}\n"
NAMED = HAT.replace("command: base-agent", "backend: claude")

SAMPLES: dict[str, tuple[str | None, str]] = {
    "event_loop.starting_event": (TEAM % "", TEAM % ", starting_event: board.scan"),
    "event_loop.persistent": (TEAM % "", TEAM % ", persistent: true"),
    "event_loop.required_events": (TEAM % "", TEAM % ", required_events: [review.*]"),
    "event_loop.cancellation_promise": (TEAM % "", TEAM % ", cancellation_promise: loop.cancel"),
    "event_loop.enforce_hat_scope": (TEAM % "", TEAM % ", enforce_hat_scope: true"),
    "event_loop.cooldown_delay_seconds": (TEAM % "", TEAM % ", cooldown_delay_seconds: 30"),
    "event_loop.cooldown": (TEAM % "", TEAM % ", cooldown: always"),
    "event_loop.gate_on": (TEAM % "", TEAM % ", gate_on: [build.done]"),
    "hats": (MORE, HAT % ""),
    "hats.<name>.name": (HAT % "", HAT % ", name: '👩‍💻 Builder'"),
    "hats.<name>.description": (HAT % "", HAT % ", description: builds"),
    "hats.<name>.triggers": (HAT % "", HAT.replace("[x]", "[x, 'build.*', '*']") % ""),
    "hats.<name>.publishes": (HAT % "", HAT % ", publishes: [build.done, LOOP_COMPLETE]"),
    "hats.<name>.instructions": (HAT % "", HAT % ", instructions: build it"),
    "hats.<name>.extra_instructions": (HAT % "", HAT % ", extra_instructions: [and well, '']"),
    "hats.<name>.default_publishes": (HAT % "", HAT % ", default_publishes: build.done"),
    "hats.<name>.max_activations": (HAT % "", HAT % ", max_activations: 3"),
    "hats.<name>.when": (HAT % "", HAT % ", when: iterations >= 3"),
    "hats.<name>.fresh": (HAT % "", HAT % ", fresh: true"),
    "hats.<name>.backend.type": (HAT % "", HAT % ", backend: codex"),
    "hats.<name>.backend.command": (HAT % "", HAT % ", backend: [./own.sh, -v]"),
    "hats.<name>.backend.args": (OWN % "", OWN % ", args: [--fast]"),
    "hats.<name>.backend.agent": (HAT % ", backend: kiro", HAT % ", backend: {type: kiro, agent: builder}"),
    "hats.<name>.backend.prompt_mode": (OWN % "", OWN % ", prompt_mode: file"),
    "hats.<name>.backend.prompt_flag": (OWN % "", OWN % ", prompt_flag: -p"),
    "hats.<name>.backend.output": (OWN % "", OWN % ", output: jsonl"),
    "hats.<name>.backend.env": (OWN % "", OWN % ", env: {A: b}"),
    "hats.<name>.backend.script": (
        HAT % ", backend: {type: scripted, script: steps.yml}",
        HAT % ", backend: {type: scripted, script: other.yml}",
    ),
    "hats.<name>.backend_args": (HAT % "", HAT % ", backend_args: [--fast]"),
    "hats.<name>.model": (HAT % ", backend: codex", HAT % ", backend: codex, model: small"),
    "hats.<name>.disallowed_tools": (NAMED % "", NAMED % ", disallowed_tools: [Edit, Write]"),
    "hats.<name>.allowed_tools": (NAMED % "", NAMED % ", allowed_tools: [Read]"),
    "hats.<name>.timeout": (HAT % "", HAT % ", timeout: 10m"),
    "hats.<name>.scratchpad": (HAT % "", HAT % ", scratchpad: {enabled: false}"),
    "hats.<name>.aggregate.mode": (HAT % "", HAT % ", aggregate: {mode: wait_for_all}"),
    "hats.<name>.scan.folders": (SCAN % "", SCAN.replace("work: work.propose", "todo: work.propose") % ""),
    "hats.<name>.scan.backlog": (SCAN % "", SCAN % ", backlog: {tasks.jsonl: task.ready}"),
    "hats.<name>.scan.failed": (SCAN % "", SCAN % ", failed: given-up"),
    "hats.<name>.scan.log": (SCAN % "", SCAN % ", log: logs/polls.txt"),
    "events": (HAT % "", EVENT % ""),
    "events.<name>.description": (EVENT % "", EVENT.replace("description: d", "description: e") % ""),
    "events.<name>.on_trigger": (EVENT % "", EVENT % ", on_trigger: t"),
    "events.<name>.on_publish": (EVENT % "", EVENT % ", on_publish: p"),
    "memories.enabled": (MORE, MORE + "memories: {enabled: false}\n"),
    "memories.inject": (MORE, MORE + "memories: {inject: manual}\n"),
    "memories.budget": (MORE, MORE + "memories: {budget: 500}\n"),
    "tasks.enabled": (MORE, MORE + "tasks: {enabled: false}\n"),
    "core.specs_dir": (MORE, MORE + "core: {specs_dir: ./specs/}\n"),
}
