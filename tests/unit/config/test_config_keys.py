"""Accepted means used: every key of the table changes what comes out, and the reference says what is true."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import hat_samples
import msgspec
import pytest
from reference import config_keys, renewed

import gate_package
from ralph.config.load import Resolved, load
from ralph.config.schema import KEYS, Key
from ralph.config.settings import Overrides

BASE = """\
cli: {command: base-agent}
event_loop: {prompt: base prompt}
gates: [{name: base, run: base-check}]
"""

# A file that differs from BASE (or the first) only in the key. None for the first: BASE itself.
GATE = "cli: {command: base-agent}\nevent_loop: {prompt: base prompt}\ngates: [{name: base, run: base-check%s}]\n"
CLI = "cli: {command: base-agent%s}\nevent_loop: {prompt: base prompt}\ngates: [{name: base, run: base-check}]\n"
LOOP = "cli: {command: base-agent}\nevent_loop: {prompt: base prompt%s}\ngates: [{name: base, run: base-check}]\n"

REVIEW = (
    "cli: {command: base-agent, args: [-a]}\nevent_loop: {prompt: base prompt}\ngates: [{review: spec%s}]\n"
)
NAMED = "cli: {backend: claude%s}\nevent_loop: {prompt: base prompt}\n"
SANDBOX = BASE + "sandbox: {kind: bwrap%s}\n"
TASKS = "cli: {command: base-agent}\nbacklog: tasks.jsonl\n"
AT_END = "cli: {command: base-agent, args: [-a]}\nbacklog: tasks.jsonl\nat_end: [{review: spec%s}]\n"
NOTIFY = BASE + "notify: [{run: tell%s}]\n"

KIND = BASE.replace("run: base-check", "kind: lines, options: {%s}")
SAMPLES: dict[str, tuple[str | None, str]] = hat_samples.SAMPLES | {
    "cli.backend": (
        "cli: {backend: custom, command: a, script: steps.yml}\nevent_loop: {prompt: p}\n",
        "cli: {backend: scripted, command: a, script: steps.yml}\nevent_loop: {prompt: p}\n",
    ),
    "cli.command": (None, BASE.replace("base-agent", "other")),
    "cli.model": (NAMED % "", NAMED % ", model: small"),
    "cli.args": (None, CLI % ", args: [--fast]"),
    "cli.prompt_mode": (None, CLI % ", prompt_mode: file"),
    "cli.prompt_flag": (CLI % ", prompt_mode: arg", CLI % ", prompt_mode: arg, prompt_flag: -p"),
    "cli.output": (None, CLI % ", output: jsonl"),
    "cli.env": (None, CLI % ", env: {A: b}"),
    "cli.script": (
        "cli: {backend: scripted, script: steps.yml}\nevent_loop: {prompt: p}\n",
        "cli: {backend: scripted, script: other.yml}\nevent_loop: {prompt: p}\n",
    ),
    "fallback": (None, BASE + "fallback: [codex, ./other.sh --fast]\n"),
    "event_loop.prompt": (None, BASE.replace("base prompt", "other")),
    "event_loop.prompt_file": (None, "cli: {command: base-agent}\nevent_loop: {prompt_file: steps.yml}\n"),
    "gates": (None, "cli: {command: base-agent}\nevent_loop: {prompt: base prompt}\ngates: none\n"),
    "gates[].name": (None, BASE.replace("name: base", "name: other")),
    "gates[].run": (None, BASE.replace("base-check", "other")),
    "gates[].review": (REVIEW % "", REVIEW.replace("spec", "quality") % ""),
    "gates[].agent.backend": (
        REVIEW % ", agent: {backend: custom, command: a, script: steps.yml}",
        REVIEW % ", agent: {backend: scripted, command: a, script: steps.yml}",
    ),
    "gates[].agent.command": (REVIEW % "", REVIEW % ", agent: {command: other}"),
    "gates[].agent.model": (
        REVIEW % ", agent: {backend: codex}",
        REVIEW % ", agent: {backend: codex, model: small}",
    ),
    "gates[].agent.args": (REVIEW % "", REVIEW % ", agent: {args: [--model, small]}"),
    "gates[].agent.prompt_mode": (REVIEW % "", REVIEW % ", agent: {prompt_mode: file}"),
    "gates[].agent.prompt_flag": (
        REVIEW % ", agent: {prompt_mode: arg}",
        REVIEW % ", agent: {prompt_mode: arg, prompt_flag: -p}",
    ),
    "gates[].agent.output": (REVIEW % "", REVIEW % ", agent: {output: jsonl}"),
    "gates[].agent.env": (REVIEW % "", REVIEW % ", agent: {env: {A: b}}"),
    "gates[].agent.script": (
        REVIEW % ", agent: {backend: scripted, script: steps.yml}",
        REVIEW % ", agent: {backend: scripted, script: other.yml}",
    ),
    "notify": (None, NOTIFY % ""),
    "notify[].run": (NOTIFY % "", NOTIFY % " -v"),
    "notify[].url": (
        BASE + "notify: [{url: 'json://127.0.0.1/'}]\n",
        BASE + "notify: [{url: 'json://127.0.0.1/a'}]\n",
    ),
    "notify[].when": (NOTIFY % "", NOTIFY % ", when: [end]"),
    "gates[].kind": (None, KIND % "file: a, least: 1"),
    "gates[].options": (KIND % "file: a, least: 1", KIND % "file: a, least: 2"),
    "gates[].hard": (None, GATE % ", hard: false"),
    "gates[].every": (None, GATE % ", every: iteration"),
    "gates[].soft_timeout": (None, GATE % ", soft_timeout: 5s"),
    "gates[].hard_timeout": (None, GATE % ", hard_timeout: 1h"),
    "gates[].may_write": (None, GATE % ", may_write: [out/**]"),
    "gates[].hermetic": (None, GATE % ", hermetic: false"),
    "gates[].setup": (None, GATE % ", setup: make deps"),
    "gates[].hidden": (None, GATE % ", hidden: ../hidden"),
    "gates[].judges": (None, GATE % ", judges: [spec/*.json]"),
    "flaky_passes": (None, BASE + "flaky_passes: 2\n"),
    "baseline": (None, BASE + "baseline: allow-red\n"),
    "reproduce": (None, BASE + "reproduce: require\n"),
    "stuck.same_error_shift": (None, BASE + "stuck: {same_error_shift: 2}\n"),
    "stuck.same_error_stop": (None, BASE + "stuck: {same_error_stop: 9}\n"),
    "stuck.no_progress_nudge": (None, BASE + "stuck: {no_progress_nudge: 2}\n"),
    "stuck.no_progress_stop": (None, BASE + "stuck: {no_progress_stop: 0}\n"),
    "core.scratchpad": (None, BASE + "core: {scratchpad: 'notes/{taskId}.md'}\n"),
    "core.guardrails": (None, BASE + "core: {guardrails: [be small]}\n"),
    "task.id": (None, BASE + "task: {id: t-1}\n"),
    "task.title": (None, BASE + "task: {title: Another}\n"),
    "task.description": (None, "cli: {command: base-agent}\ntask: {description: other}\n"),
    "task.criteria": (None, BASE + "task: {criteria: [it works]}\n"),
    "task.no_change_ok": (None, BASE + "task: {no_change_ok: true}\n"),
    "task.allow": (None, BASE + "task: {allow: [tests/**]}\n"),
    "allow": (None, BASE + "allow: [tests/**]\n"),
    "protect": (None, BASE + "protect: [golden/**]\n"),
    "env_allow": (None, BASE + "env_allow: [DATABASE_URL, 'AWS_*']\n"),
    "sandbox.kind": (None, BASE + "sandbox: bwrap\n"),
    "sandbox.network": (SANDBOX % "", SANDBOX % ", network: none"),
    "sandbox.credentials": (SANDBOX % "", SANDBOX % ", credentials: [~/.netrc]"),
    "sandbox.readable": (SANDBOX % "", SANDBOX % ", readable: [../shared]"),
    "sandbox.writable": (SANDBOX % "", SANDBOX % ", writable: [/var/cache/x]"),
    "backlog": (TASKS, TASKS.replace("tasks", "plan")),
    "parallel": (TASKS, TASKS + "parallel: 3\n"),
    "poll_interval_seconds": (TASKS, TASKS + "poll_interval_seconds: 5m\n"),
    "gate_concurrency": (TASKS, TASKS + "gate_concurrency: 2\n"),
    "share": (TASKS, TASKS + "share: [node_modules, ./.venv/]\n"),
    "workspace": (TASKS, TASKS + "workspace: worktree\n"),
    "land.how": (TASKS, TASKS + "land: branch\n"),
    "land.target": (TASKS, TASKS + "land: {target: next}\n"),
    "land.merges": (TASKS, TASKS + "land: {merges: 0}\n"),
    "push": (TASKS, TASKS + "push: true\n"),
    "at_end": (TASKS, TASKS + "at_end: [{review: spec}]\n"),
    "at_end[].name": (AT_END % "", AT_END % ", name: other"),
    "at_end[].review": (AT_END % "", AT_END.replace("spec", "quality") % ""),
    "at_end[].agent.backend": (
        AT_END % ", agent: {backend: custom, command: a, script: steps.yml}",
        AT_END % ", agent: {backend: scripted, command: a, script: steps.yml}",
    ),
    "at_end[].agent.command": (AT_END % "", AT_END % ", agent: {command: other}"),
    "at_end[].agent.model": (
        AT_END % ", agent: {backend: codex}",
        AT_END % ", agent: {backend: codex, model: small}",
    ),
    "at_end[].agent.args": (AT_END % "", AT_END % ", agent: {args: [--model, small]}"),
    "at_end[].agent.prompt_mode": (AT_END % "", AT_END % ", agent: {prompt_mode: file}"),
    "at_end[].agent.prompt_flag": (
        AT_END % ", agent: {prompt_mode: arg}",
        AT_END % ", agent: {prompt_mode: arg, prompt_flag: -p}",
    ),
    "at_end[].agent.output": (AT_END % "", AT_END % ", agent: {output: jsonl}"),
    "at_end[].agent.env": (AT_END % "", AT_END % ", agent: {env: {A: b}}"),
    "at_end[].agent.script": (
        AT_END % ", agent: {backend: scripted, script: steps.yml}",
        AT_END % ", agent: {backend: scripted, script: other.yml}",
    ),
    "at_end[].soft_timeout": (AT_END % "", AT_END % ", soft_timeout: 5s"),
    "at_end[].hard_timeout": (AT_END % "", AT_END % ", hard_timeout: 1h"),
    "require_verified": (None, BASE + "require_verified: true\n"),
    "event_loop.completion_promise": (None, LOOP % ", completion_promise: ALL_DONE"),
    "event_loop.claim": (None, LOOP % ", claim: exit-zero"),
    "event_loop.max_iterations": (None, LOOP % ", max_iterations: 8"),
    "event_loop.max_attempts": (None, LOOP % ", max_attempts: 2"),
    "event_loop.max_runtime_seconds": (None, LOOP % ", max_runtime_seconds: 3600"),
    "event_loop.soft_runtime_seconds": (None, LOOP % ", soft_runtime_seconds: 1h"),
    "event_loop.iteration_timeout": (None, LOOP % ", iteration_timeout: 10m"),
    "event_loop.iteration_soft_timeout": (None, LOOP % ", iteration_soft_timeout: 10m"),
    "event_loop.idle_timeout": (None, LOOP % ", idle_timeout: 60"),
    "event_loop.max_cost_usd": (None, LOOP % ", max_cost_usd: 1.5"),
    "event_loop.max_tokens": (None, LOOP % ", max_tokens: 1_000_000"),
    "event_loop.max_run_seconds": (None, LOOP % ", max_run_seconds: 3h"),
    "event_loop.max_run_cost_usd": (None, LOOP % ", max_run_cost_usd: 12.5"),
    "event_loop.max_run_tokens": (None, LOOP % ", max_run_tokens: 1_000_000"),
    "event_loop.max_run_tasks": (None, LOOP % ", max_run_tasks: 3"),
    "event_loop.proposed_generations": (None, LOOP % ", proposed_generations: 2"),
    "event_loop.max_consecutive_failures": (None, LOOP % ", max_consecutive_failures: 2"),
    "event_loop.crash_wait": (None, LOOP % ", crash_wait: 0"),
    "event_loop.max_wait": (None, LOOP % ", max_wait: 90m"),
    "event_loop.human_timeout_seconds": (None, LOOP % ", human_timeout_seconds: 10m"),
    "event_loop.wrap_up_seconds": (None, LOOP % ", wrap_up_seconds: 1"),
    "event_loop.stop_grace": (None, LOOP % ", stop_grace: 1"),
}


@pytest.fixture(autouse=True)
def kinds_of_a_package(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(gate_package.install(tmp_path_factory.mktemp("package")))


def resolve(folder: Path, text: str) -> Resolved:
    for name in ("steps.yml", "other.yml"):
        (folder / name).write_text("iterations: []\n")
    (folder / "ralph.yml").write_text(text)
    return load(folder)


@pytest.mark.parametrize("path", [key.path for key in KEYS])
def test_every_key_changes_the_policy_the_task_or_the_work(path: str, tmp_path: Path) -> None:
    without, with_key = SAMPLES[path]
    before, after = (
        (found.policy, found.task, found.work, found.backlog)
        for found in (resolve(tmp_path, text) for text in (without or BASE, with_key))
    )
    assert before != after


@pytest.mark.parametrize("key", [key for key in KEYS if key.into], ids=lambda key: key.path)
def test_a_key_sets_the_field_that_the_table_names(key: Key, tmp_path: Path) -> None:
    without, with_key = SAMPLES[key.path]
    group, _, name = key.into.partition(".")
    fields = []
    for text in (without or BASE, with_key):
        found = resolve(tmp_path, text)
        policy = found.policy
        gates = found.work.at_end if key.path.startswith("at_end") else policy.gates
        gate = gates[0] if gates else None
        hat = policy.team.hats[0] if policy.team else None
        part = {
            "policy": policy,
            "agent": (hat and hat.agent) or (gate and gate.agent) or policy.agent,
            "hat": hat,
            "scan": hat.scan if hat else None,
            "team": policy.team,
            "meaning": policy.team.meanings.get("x.done") if policy.team else None,
            "memories": policy.memories,
            "notify": policy.notify[0] if policy.notify else None,
            "limits": policy.limits,
            "sandbox": policy.sandbox,
            "stuck": policy.stuck,
            "gate": gate,
            "land": policy.land,
            "work": found.work,
            "task": found.task,
        }[group]
        fields.append(getattr(part, name))
    assert fields[0] != fields[1]


def test_a_default_written_out_changes_nothing(tmp_path: Path) -> None:
    bare = resolve(tmp_path, BASE)
    for key in KEYS:
        section, _, name = key.path.rpartition(".")
        if not key.default or " " in key.default or key.default_text:
            continue
        if section == "hats.<name>.scan":
            text = hat_samples.SCAN % f", {name}: {key.default}"
            assert resolve(tmp_path, text) == resolve(tmp_path, hat_samples.SCAN % ""), key.path
            continue
        if section == "at_end[]":
            said = resolve(tmp_path, AT_END % f", {name}: {key.default}")
            assert said == resolve(tmp_path, AT_END % ""), key.path
            continue
        if section == "gates[]":
            text = GATE % f", {name}: {key.default}"
        elif section in ("cli", "event_loop"):
            text = {"cli": CLI, "event_loop": LOOP}[section] % f", {name}: {key.default}"
        else:
            text = BASE + (
                f"{section}: {{{name}: {key.default}}}\n" if section else f"{name}: {key.default}\n"
            )
        assert resolve(tmp_path, text) == bare, key.path


@pytest.mark.parametrize("path", [key.path for key in KEYS])
def test_what_is_resolved_has_the_types_it_declares(path: str, tmp_path: Path) -> None:
    """The policy is a fact: it must come back from the journal as it was."""
    found = resolve(tmp_path, SAMPLES[path][1])
    assert msgspec.json.decode(msgspec.json.encode(found), type=Resolved) == found


def test_a_reviewer_takes_over_what_it_does_not_say_itself(tmp_path: Path) -> None:
    cli = "cli: {command: base, args: [-a], prompt_mode: arg, prompt_flag: -p, env: {A: b}}\n"
    review = cli + "event_loop: {prompt: p}\ngates: [{review: spec, agent: {%s}}]\n"
    same = resolve(tmp_path, review % "args: [--model, small]").policy
    assert same.gates[0].agent == msgspec.structs.replace(same.agent, command=("base", "--model", "small"))
    other = resolve(tmp_path, review % "command: other").policy.gates[0].agent
    assert other == type(same.agent)(command=("other",))
    assert same.gates[0].name == "spec" and same.gates[0].run == ""


def test_a_reviewer_of_the_command_line_s_agent_adds_its_own_arguments(tmp_path: Path) -> None:
    (tmp_path / "ralph.yml").write_text("gates: [{review: spec, agent: {args: [--model, small]}}]\n")
    policy = load(tmp_path, None, Overrides(command=("agent", "-x"), prompt="p")).policy
    assert policy.gates[0].agent is not None
    assert policy.gates[0].agent.command == ("agent", "-x", "--model", "small")


def test_docs_config_md_is_up_to_date() -> None:
    page = Path(__file__).parents[3] / "docs" / "config.md"
    text = page.read_text(encoding="utf-8")
    assert renewed("config.md", text) == text, "run: make docs"


def test_the_reference_has_one_row_for_each_key_with_four_cells() -> None:
    rows = config_keys().splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == [f"| `{key.path}`" for key in KEYS]
    assert all(row.count("|") == 5 for row in rows)
    assert all(key.doc.endswith(".") and key.type for key in KEYS)


def test_the_smallest_file_of_the_docs_loads(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "config.md").read_text(encoding="utf-8")
    example = page.split("```yaml\n")[1].split("```")[0]
    (tmp_path / "PROMPT.md").write_text("# Make it work\n")
    (tmp_path / "ralph.yml").write_text(example)
    found = load(tmp_path)
    assert found.policy.agent.command == (str(tmp_path / "agent.sh"),)
    assert found.policy.limits.max_iterations == 8
    assert [(gate.name, gate.run, gate.hard) for gate in found.policy.gates] == [
        ("tests", "sh test.sh", True)
    ]
    assert found.warnings == ()


def test_importing_the_room_imports_neither_yaml_nor_difflib() -> None:
    code = "import sys, ralph.config; print(*{'yaml', 'difflib', 'shlex', 'subprocess', 'asyncio'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
