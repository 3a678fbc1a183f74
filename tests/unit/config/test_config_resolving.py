"""What comes of a good file and the command line: defaults, precedence, derived values."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from config_project import Project

from ralph.config.load import load
from ralph.config.settings import Overrides
from ralph.core.agent_policy import AgentPolicy
from ralph.core.policy import LimitPolicy, Policy, SandboxPolicy, StuckPolicy

# What journals of earlier versions mean by leaving it out is another thing.
DEFAULTS = Policy(agent=AgentPolicy(command=("true",)), rules=2, flaky_passes=0, reproduce="auto")


def test_without_a_file_everything_has_its_default(project: Project) -> None:
    found = project.load()
    assert found.policy == DEFAULTS
    assert found.policy.limits == LimitPolicy()
    assert found.policy.stuck == StuckPolicy()
    assert found.source == "(defaults)"
    assert found.warnings == ()


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# only a comment\n", "---\n", "---\n...\n", "~\n", "\ufeff# bom\n"]
)
def test_an_empty_file_means_the_defaults(project: Project, text: str) -> None:
    assert project.load(text).policy == DEFAULTS


def test_a_section_whose_keys_are_all_commented_out_is_empty(project: Project) -> None:
    assert project.load("event_loop:\n  # max_iterations: 3\ncli:\n").policy.limits == LimitPolicy()


def test_an_explicit_null_asks_for_the_default(project: Project) -> None:
    text = "event_loop: {max_cost_usd: null, max_iterations: ~}\ngates: null\n"
    assert project.load(text).policy == project.load("").policy


def test_ralph_yml_is_read_before_ralph_yaml_and_that_is_said(project: Project) -> None:
    (project.folder / "ralph.yaml").write_text("event_loop: {max_iterations: 3}\n")
    alone = project.load()
    assert alone.policy.limits.max_iterations == 3
    assert alone.source == str(project.folder / "ralph.yaml")
    both = project.load("event_loop: {max_iterations: 4}\n")
    assert both.policy.limits.max_iterations == 4
    assert both.warnings == ("ralph.yaml is not read, because ralph.yml exists",)


def test_a_named_file_is_read_in_place_of_the_default(project: Project) -> None:
    (project.folder / "ralph.yml").write_text("this: is: broken")
    found = project.load("event_loop: {max_iterations: 3}\n", file="other.yml")
    assert found.policy.limits.max_iterations == 3


def test_paths_in_the_file_start_at_its_folder_and_those_of_the_command_line_at_the_current_one(
    tmp_path: Path, write: Callable[..., Path]
) -> None:
    write("conf/ralph.yml", "cli: {command: 'bin/agent --x'}\nevent_loop: {prompt_file: what.md}\n")
    write("conf/what.md", "From the file")
    write("here.md", "From the command line")
    from_file = load(tmp_path, Path("conf/ralph.yml"))
    assert from_file.policy.agent.command == (str(tmp_path / "conf/bin/agent"), "--x")
    assert from_file.task.description == "From the file"
    given = load(
        tmp_path, Path("conf/ralph.yml"), Overrides(command=("./agent",), prompt_file=Path("here.md"))
    )
    assert given.policy.agent.command == (str(tmp_path / "agent"),)
    assert given.task.description == "From the command line"


@pytest.mark.parametrize(
    ("text", "given", "file"),
    [
        ("event_loop: {prompt_file: what.md}", {}, "what.md"),
        ("event_loop: {prompt_file: what.md}", {"prompt_file": Path("PROMPT.md")}, "PROMPT.md"),
        ("event_loop: {prompt_file: what.md}", {"prompt": "x"}, ""),
        ("event_loop: {prompt: x}", {}, ""),
        ("task: {description: x}", {}, ""),
        ("", {}, "PROMPT.md"),
    ],
)
def test_the_file_that_the_task_was_read_from_is_named(
    tmp_path: Path, write: Callable[..., Path], text: str, given: dict[str, Any], file: str
) -> None:
    write("ralph.yml", text)
    write("what.md", "Do it")
    write("PROMPT.md", "Do that")
    found = load(tmp_path, None, Overrides(command=("true",), **given))
    assert found.prompt_file == (str(tmp_path / file) if file else "")


def test_what_the_command_line_allows_comes_to_what_the_file_allows(project: Project) -> None:
    assert project.load(allow=("./a", "b/**")).policy.allow == ("a", "b/**")
    assert project.load("allow: [tests/**]", allow=("a",)).policy.allow == ("tests/**", "a")
    assert "--allow: must be a pattern of paths inside" in project.error("", allow=("/etc",))


def test_a_path_with_spaces_and_quotes_works(tmp_path: Path) -> None:
    folder = tmp_path / 'it\'s a "folder"'
    folder.mkdir()
    (folder / "ralph.yml").write_text(
        "cli: {command: [\"./my agent's.sh\", 'a b']}\nevent_loop: {prompt: x}\n"
    )
    assert load(folder).policy.agent.command == (str(folder / "my agent's.sh"), "a b")


def test_a_command_is_split_as_a_shell_would_and_args_follow(project: Project) -> None:
    text = """cli: {command: "claude -p 'two words'", args: [--max-turns, 30, true, 1.50, ""]}"""
    agent = project.load(text, command=()).policy.agent
    assert agent.command == ("claude", "-p", "two words", "--max-turns", "30", "true", "1.50", "")


def test_a_home_folder_is_understood(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(project.folder / "me"))
    assert project.load("cli: {command: ~/agent}", command=()).policy.agent.command == (
        str(project.folder / "me" / "agent"),
    )


def test_the_command_line_replaces_the_agent_and_keeps_how_it_is_spoken_to(project: Project) -> None:
    text = "cli: {backend: scripted, script: none.yml, args: [-x], prompt_mode: arg, prompt_flag: -p, env: {A: b}}"
    agent = project.load(text, command=("other", "-y")).policy.agent
    assert agent == AgentPolicy(command=("other", "-y"), prompt_mode="arg", prompt_flag="-p", env={"A": "b"})


def test_environment_values_are_text_as_written(project: Project) -> None:
    text = "cli:\n  env: {PORT: 8080, DEBUG: yes, ON: off, EMPTY: '', V: 1.10, D: 2024-01-01}\n"
    assert project.load(text).policy.agent.env == {
        "PORT": "8080",
        "DEBUG": "yes",
        "ON": "off",
        "EMPTY": "",
        "V": "1.10",
        "D": "2024-01-01",
    }


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("true", True),
        ("yes", True),
        ("On", True),
        ("TRUE", True),
        ("false", False),
        ("No", False),
        ("off", False),
    ],
)
def test_booleans_as_yaml_knows_them(project: Project, word: str, value: bool) -> None:
    assert project.load(f"gates: [{{run: x, hard: {word}}}]").policy.gates[0].hard is value


def test_command_line_limits_win_over_the_file(project: Project) -> None:
    text = "event_loop: {max_iterations: 1, max_attempts: 1, max_cost_usd: 1, max_tokens: 1, max_runtime_seconds: 1}"
    limits = project.load(
        text, max_iterations=2, max_attempts=3, max_cost_usd=4.5, max_tokens=5, max_runtime_seconds=60.0
    ).policy.limits
    assert (limits.max_iterations, limits.max_attempts, limits.max_cost_usd, limits.max_tokens) == (
        2,
        3,
        4.5,
        5,
    )
    assert (limits.hard_seconds, limits.soft_seconds) == (60, 45)


def test_soft_limits_follow_their_hard_limit_unless_given(project: Project) -> None:
    limits = project.load("event_loop: {max_runtime_seconds: 1000, iteration_timeout: 300}").policy.limits
    assert (limits.soft_seconds, limits.iteration_soft_seconds) == (750, 200)
    limits = project.load("event_loop: {soft_runtime_seconds: 10, iteration_soft_timeout: 20}").policy.limits
    assert (limits.soft_seconds, limits.iteration_soft_seconds) == (10, 20)
    gates = project.load("gates: [{run: a, hard_timeout: 60}, {run: b, hard_timeout: 2h}]").policy.gates
    assert [gate.soft_timeout for gate in gates] == [60, 600]


def test_a_shorter_time_on_the_command_line_does_not_quarrel_with_the_files_soft_limit(
    project: Project,
) -> None:
    text = "event_loop: {soft_runtime_seconds: 5000}"
    assert project.load(text, max_runtime_seconds=100.0).policy.limits.soft_seconds == 75
    assert project.load(text, max_runtime_seconds=6000.0).policy.limits.soft_seconds == 5000


def test_the_multiplier_stretches_time_limits_and_leaves_waits_alone(project: Project) -> None:
    text = "gates: [{run: a, soft_timeout: 10, hard_timeout: 20}]\nevent_loop: {max_runtime_seconds: 100}"
    plain, twice = project.load(text).policy, project.load(text, timeout_multiplier=2.0).policy
    for name in (
        "hard_seconds",
        "soft_seconds",
        "iteration_hard_seconds",
        "iteration_soft_seconds",
        "idle_seconds",
    ):
        assert getattr(twice.limits, name) == 2 * getattr(plain.limits, name), name
    for name in (
        "crash_wait_seconds",
        "max_wait_seconds",
        "stop_grace_seconds",
        "max_iterations",
        "max_attempts",
    ):
        assert getattr(twice.limits, name) == getattr(plain.limits, name), name
    assert (twice.gates[0].soft_timeout, twice.gates[0].hard_timeout) == (20, 40)
    assert project.load(gates=("a",), timeout_multiplier=0.5).policy.gates[0].hard_timeout == 900


def test_gates_none_is_a_decision_and_no_gates_is_not(project: Project) -> None:
    assert project.load("gates: none").policy.gates_declined is True
    assert project.load("").policy.gates_declined is False
    assert project.load("gates: []").policy.gates_declined is False


def test_gates_of_the_command_line_replace_those_of_the_file(project: Project) -> None:
    text = "gates: [{name: a, run: sh a.sh}]"
    given = project.load(text, gates=("sh b.sh", "sh c.sh")).policy
    assert [(gate.name, gate.run) for gate in given.gates] == [("b", "sh b.sh"), ("c", "sh c.sh")]
    none = project.load(text, no_gates=True).policy
    assert (none.gates, none.gates_declined) == ((), True)
    over_none = project.load("gates: none", gates=("x",)).policy
    assert (len(over_none.gates), over_none.gates_declined) == (1, False)


@pytest.mark.parametrize(
    ("run", "name"),
    [
        ("pytest -q", "pytest"),
        ("sh ./test.sh", "test"),
        ("sh -c 'grep -q x y'", "grep"),
        ("python -m pytest -q", "pytest"),
        ("uv run mypy", "mypy"),
        ("sh", "sh"),
        ("CI=1 ./bin/check --all", "check"),
        ("A=1", "gate"),
        ("(cd x && make)", "cd"),
        ("\n  make test\n", "make"),
        ("…", "gate"),
    ],
)
def test_a_gate_without_a_name_is_called_by_its_command(project: Project, run: str, name: str) -> None:
    assert project.load(gates=(run,)).policy.gates[0].name == name


def test_derived_names_give_way_to_given_ones(project: Project) -> None:
    text = "gates: [{run: make a}, {run: make b}, {name: make, run: c}, {name: make-2, run: d}]"
    assert [gate.name for gate in project.load(text).policy.gates] == ["make-a", "make-b", "make", "make-2"]


def test_may_write_is_all_nothing_or_patterns(project: Project) -> None:
    text = "gates: [{run: a, may_write: true}, {run: b, may_write: false}, {run: c, may_write: [./out/**, '*.log']}]"
    assert [gate.may_write for gate in project.load(text).policy.gates] == [("**",), (), ("out/**", "*.log")]


def test_guardrails_as_text_or_list(project: Project) -> None:
    assert project.load("core: {guardrails: One rule.}").policy.guidance == "One rule."
    assert project.load("core: {guardrails: [One., Two.]}").policy.guidance == "- One.\n- Two."


def test_scratchpad_is_normalised_and_keeps_the_task_id_for_the_driver(project: Project) -> None:
    assert project.load("core: {scratchpad: './a//b/{taskId}.md'}").policy.scratchpad == "a/b/{taskId}.md"


def test_anchors_aliases_and_merges_work(project: Project) -> None:
    text = """\
gates:
  - &slow {name: unit, run: make unit, hard_timeout: 2h}
  - {<<: *slow, name: e2e, run: make e2e}
  - {<<: [*slow], name: more}
allow: &globs [tests/**]
task: {allow: *globs}
"""
    found = project.load(text)
    assert [(gate.name, gate.run, gate.hard_timeout) for gate in found.policy.gates] == [
        ("unit", "make unit", 7200),
        ("e2e", "make e2e", 7200),
        ("more", "make unit", 7200),
    ]
    assert found.task.allow == found.policy.allow == ("tests/**",)


def test_require_verified_from_either_place(project: Project) -> None:
    assert project.load("gates: [{run: x}]", require_verified=True).policy.require_verified
    assert not project.load("gates: [{run: x}]").policy.require_verified
    assert "no gate is set" in project.load("require_verified: true").warnings[0]


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("cli: {command: a, script: b}", "ralph.yml:1: cli.script: is used only with backend: scripted"),
        (
            "cli:\n  command: a\n  prompt_flag: -p",
            "ralph.yml:3: cli.prompt_flag: is used only with prompt_mode",
        ),
        (
            "gates: [{run: a, setup: b, hermetic: false}]",
            "ralph.yml:1: gates[0].setup: is used only in a clean checkout; `hermetic: false` judges the folder",
        ),
        (
            "gates: [{run: python check.py, hidden: ../held_out/}]",
            "ralph.yml:1: gates[0].hidden: is brought into the checkout as `held_out`, and `run` does not name that",
        ),
    ],
)
def test_a_key_without_effect_is_a_warning(project: Project, text: str, warning: str) -> None:
    (found,) = project.load(text + "\n", command=() if "command" in text else ("true",)).warnings
    assert found.startswith(warning)


@pytest.mark.parametrize(
    "run", ["python held_out/check.py", "sh ./held_out/judge.sh -v", "pytest -q", "make hidden"]
)
def test_a_hidden_folder_that_the_command_names_or_finds_is_no_warning(project: Project, run: str) -> None:
    assert not project.load(f"gates: [{{run: {run}, hidden: ../held_out}}]\n", command=("true",)).warnings


@pytest.mark.parametrize(
    ("review", "nearest"),
    [("specs", "spec"), ("Spec", "spec"), ("qualty", "quality"), (" quality-", "quality")],
)
def test_a_review_that_is_nearly_a_known_one_is_a_warning(
    project: Project, review: str, nearest: str
) -> None:
    found = project.load(f"gates:\n  - name: x\n    review: {review!r}\n")
    (warning,) = found.warnings
    assert warning.startswith(f"ralph.yml:3: gates[0].review: {review.strip()!r} is taken as your own")
    assert warning.endswith(f"(nearest valid: {nearest})")
    assert found.policy.gates[0].review == review


@pytest.mark.parametrize("review", ["spec", "quality", "security", "Does it keep the spec?"])
def test_instructions_of_ones_own_are_no_slip(project: Project, review: str) -> None:
    assert project.load(f"gates: [{{review: {review!r}}}]").warnings == ()


@pytest.mark.parametrize(
    "url",
    [
        "json://user:password@host",
        "mailtos://$USER:password@example.org",
        "tgram://123456789:AAbb-11ccddeeffgg/chat",
        "slack://${TEAM}/TIiajkdnlazkcOXrIdevi7FQ",
        "ntfys://host/path?token=tk_0123456789abcdef",
    ],
)
def test_a_secret_in_an_address_is_a_warning_that_does_not_repeat_it(project: Project, url: str) -> None:
    (warning,) = project.load(f"notify:\n  - url: {url}\n").warnings
    assert warning.startswith("ralph.yml:2: notify[0].url: a password or token seems to stand in it")
    assert "${NAME}" in warning and url not in warning


@pytest.mark.parametrize(
    "url",
    [
        "slack://${SLACK_TOKEN}",
        "$NOTIFY_URL",
        "json://${USER}:${PASSWORD}@host.example.org:8080/notifications-for-everyone",
        "mailto://me@example.org",
        "ntfys://a-very-long-topic-name-without-any-secret",
    ],
)
def test_an_address_with_variables_or_plain_words_is_no_warning(project: Project, url: str) -> None:
    assert project.load(f"notify: [{{url: '{url}'}}]").warnings == ()


def test_a_scripted_agent_says_what_it_does_not_use(project: Project) -> None:
    (project.folder / "demo.yml").write_text("iterations: []\n")
    text = (
        "cli: {backend: scripted, script: demo.yml, command: a, args: [b], prompt_mode: arg, prompt_flag: -p}"
    )
    warnings = project.load(text, command=()).warnings
    assert [warning.split(": ")[1] for warning in warnings] == [
        "cli.command",
        "cli.args",
        "cli.prompt_mode",
        "cli.prompt_flag",
    ]


def test_a_scripted_agent_needs_no_command(project: Project) -> None:
    (project.folder / "demo.yml").write_text("iterations: []\n")
    found = project.load("cli: {backend: scripted, script: demo.yml}", command=())
    assert found.policy.agent == AgentPolicy(backend="scripted", script=str(project.folder / "demo.yml"))


def test_loading_changes_nothing(project: Project) -> None:
    project.load("gates: [{run: x}]")
    before = {path: path.stat().st_mtime_ns for path in project.folder.rglob("*")}
    project.load()
    project.error("gates: 5")
    (project.folder / "ralph.yml").write_text("gates: [{run: x}]")
    assert set(before) == set(project.folder.rglob("*"))


def test_a_relative_folder_gives_absolute_paths(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.folder)
    (project.folder / "ralph.yml").write_text("cli: {command: ./a}\nevent_loop: {prompt: x}\n")
    assert os.path.isabs(load(Path()).policy.agent.command[0])  # noqa: PTH117


def test_the_sandbox_s_paths_are_whole_and_the_command_line_wins(project: Project) -> None:
    text = (
        "sandbox: {kind: none, network: none, credentials: [~/.netrc, .npmrc], readable: [../shared], "
        "writable: [~/.cache/pip]}\n"
    )
    found = project.load(text, sandbox="bwrap")
    sandbox = found.policy.sandbox
    assert sandbox.kind == "bwrap" and sandbox.network == "none"
    assert sandbox.credentials == (".netrc", ".npmrc")
    assert sandbox.readable == (str(project.folder / "../shared"),)
    assert sandbox.writable == (str(Path.home() / ".cache/pip"),)
    assert found.warnings == ()
    assert any("sandbox.network: is used only with" in warning for warning in project.load().warnings)
    assert project.load(sandbox="none").policy.sandbox.kind == "none"
    assert project.load("sandbox: bwrap\n").policy.sandbox == SandboxPolicy("bwrap")


def test_a_gate_that_is_only_text_is_its_command(project: Project) -> None:
    written = project.load("gates: [pytest -q, {run: make lint}]").policy.gates
    assert written == project.load("gates: [{run: pytest -q}, {run: make lint}]").policy.gates
    assert [gate.run for gate in written] == ["pytest -q", "make lint"]
