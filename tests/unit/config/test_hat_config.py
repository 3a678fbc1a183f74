"""Hats, events and files of the older family: what a loop obeys in the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from config_project import Project

from ralph.config.load import Resolved, load
from ralph.config.settings import Overrides
from ralph.core.agent_policy import AgentPolicy
from ralph.core.exits import End, exit_code
from ralph.core.facts import LoopStarted, decode
from ralph.core.hats.model import Hat, ScanBacklog, ScanFolder, Team
from ralph.journal.record import Record

FIXTURES = Path(__file__).parents[2] / "fixtures"
OLDER = sorted((FIXTURES / "older").glob("*.yml"))
Write = Callable[..., Path]


@pytest.fixture
def older(tmp_path: Path, write: Write) -> Callable[..., Resolved]:
    """One of the files in tests/fixtures/older, in a folder with the prompts that they name."""

    def loaded(name: str, **overrides: object) -> Resolved:
        for prompt in ("PROMPT.md", "AGENTS.md"):
            write(prompt, "# Do it\n")
        write("ralph.yml", (FIXTURES / "older" / name).read_text())
        return load(tmp_path, None, Overrides(**overrides))  # type: ignore[arg-type]

    return loaded


def team_of(found: Resolved) -> Team:
    assert found.policy.team is not None
    return found.policy.team


def hat_of(found: Resolved, id: str = "a") -> Hat:
    hat = team_of(found).hat(id)
    assert hat is not None
    return hat


# -- the board ---------------------------------------------------------------------------------------------------


def test_the_board_runs_as_it_stands() -> None:
    found = load(FIXTURES / "spike")
    policy, team = found.policy, team_of(found)
    assert found.warnings == ()
    assert found.task is not None and found.task.title == "Autonomous Worker"
    assert [hat.id for hat in team.hats] == ["board_scanner", "proposal_writer", "finisher"]
    scanner, writer, _ = team.hats
    assert scanner.title == "Board Scanner" and scanner.scanner and scanner.scan is None
    assert scanner.triggers == ("board.scan", "board.rescan", "task.resume")
    assert scanner.publishes == ("work.propose", "work.finish", "LOOP_COMPLETE")
    assert scanner.default_publishes == "LOOP_COMPLETE" and writer.default_publishes == "board.rescan"
    assert "Dispatch ONE item per cycle." in scanner.text and writer.agent is None
    assert (team.starting_event, team.persistent, team.cooldown) == ("board.scan", True, 30.0)
    assert not team.cooldown_always and not team.enforce_scope
    assert (policy.agent.backend, policy.limits.max_iterations) == ("claude", 100)
    assert policy.limits.hard_seconds == 3600
    assert policy.memories.budget == 2000 and policy.memories.inject == "auto" and policy.todos
    assert policy.unverified_ok


# -- files in the wild -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", OLDER, ids=lambda file: file.stem)
def test_files_of_the_older_family_load_without_a_change(file: Path, older: Callable[..., Resolved]) -> None:
    found = older(file.name, command=("true",))
    assert found.policy.unverified_ok and found.task is not None
    assert all("has no effect" in w or "is used only" in w or "cannot act" in w for w in found.warnings)


# What each says: a dotted path into what is resolved, and its value.
SAYS: dict[str, dict[str, object]] = {
    "solo.yml": {"limits.max_iterations": 100, "limits.hard_seconds": 14400, "team": None},
    "first-version.yml": {
        "limits.max_iterations": 40,
        "limits.hard_seconds": 7200,
        "limits.max_cost_usd": 12.5,
        "limits.crash_wait_seconds": 3,
        "limits.idle_seconds": 900,  # no adapter of the agent in use is named
        "completion_promise": "ALL_DONE",
    },
    "writer-reviewer.yml": {
        "team.completion_promise": "GUIDE_READY",
        "team.starting_event": "task.start",
        "specs_dir": "./specs/",
        "limits.hard_seconds": 3600,
    },
    "memories-and-todos.yml": {"todos": False, "memories.inject": "manual", "memories.budget": 2500},
    "human-in-the-loop.yml": {"limits.idle_seconds": 600, "team.cooldown": 5, "memories.budget": 0},
    "shared-instructions.yml": {
        "team.required_events": ("review.approved",),
        "team.cancellation_promise": "loop.cancel",
        "team.enforce_scope": True,
        "limits.max_consecutive_failures": 3,
    },
    "custom-program.yml": {"scratchpad": ".agent/scratchpad.md", "specs_dir": "./.agent/specs/"},
    "hooks.yml": {"memories.enabled": False, "completion_promise": "DONE_HERE"},
    "starting-hat.yml": {"team.persistent": True, "guidance": "- 작업 디렉토리 안에서만 작업한다"},
}


@pytest.mark.parametrize("name", SAYS)
def test_their_keys_do_what_they_say(name: str, older: Callable[..., Resolved]) -> None:
    policy = older(name, command=("true",)).policy
    for path, value in SAYS[name].items():
        found: object = policy
        for part in path.split("."):
            found = getattr(found, part)
        assert found == value, path


def test_a_hat_of_theirs_has_its_own_agent(older: Callable[..., Resolved]) -> None:
    found = older("two-backends.yml")
    assert hat_of(found, "planner").agent is None
    assert hat_of(found, "coder").agent == AgentPolicy(backend="opencode", args=("--agent", "builder"))
    found = older("human-in-the-loop.yml")
    args = ("--agent", "executor", "--wrap", "never")
    assert hat_of(found, "executor").agent == AgentPolicy(backend="kiro", args=args)
    own = hat_of(found, "reviewer").agent
    assert own is not None and own.command[0].endswith("/review.sh") and own.command[1:] == ("--strict",)
    assert own.prompt_mode == "arg", "what that family does with a program of one's own"


def test_their_custom_program_gets_the_prompt_as_its_last_argument(older: Callable[..., Resolved]) -> None:
    agent = older("custom-program.yml").policy.agent
    assert (agent.backend, agent.prompt_mode, agent.prompt_flag) == ("custom", "arg", "--prompt")
    assert older("custom-program.yml", command=("true",)).policy.agent.prompt_mode == "stdin"


def test_yaml_anchors_share_instructions_and_tools(older: Callable[..., Resolved]) -> None:
    found = older("shared-instructions.yml")
    critic = hat_of(found, "critic")
    assert critic.text == "Design it.\nSay how sure you are." and critic.max_activations == 3
    assert critic.disallowed_tools == ("Edit", "Write", "NotebookEdit")
    assert critic.agent is not None
    assert critic.agent.args == ("--disallowedTools", "Edit", "Write", "NotebookEdit")
    assert team_of(found).meanings["design.done"].on_publish == "Name the file."


def test_the_time_limit_of_an_adapter_counts_for_the_agent_in_use(project: Project) -> None:
    text = "cli: {backend: %s}\nadapters: {claude: {timeout: 240}, gemini: {timeout: 60}}\n"
    for agent, seconds in (("claude", 240), ("gemini", 60), ("codex", 900)):
        assert project.load(text % agent, command=()).policy.limits.idle_seconds == seconds
    both = text % "claude" + "event_loop: {idle_timeout: 5}\n"
    assert project.load(both, command=()).policy.limits.idle_seconds == 5


def test_what_has_no_effect_is_told_once_with_what_to_use_instead(project: Project) -> None:
    text = "hooks:\n  enabled: true\n  events:\n    pre.run: [{name: a, command: [b]}]\n"
    [warning] = project.load(text).warnings
    assert warning == (
        "ralph.yml:2: hooks.enabled: has no effect. "
        "Use `gates` for checks before completion, `notify` for news, a hat for work."
    )


@pytest.mark.parametrize(
    "quiet",
    [
        *("RObot: {enabled: false, timeout_seconds: 5}", "skills: {enabled: no}", "hooks:", "verbose: false"),
        *("features: {parallel: true, preflight: {enabled: false, strict: true}}", "_x: 1\nx-y: [2]"),
    ],
)
def test_of_what_is_turned_off_nothing_is_said(project: Project, quiet: str) -> None:
    assert project.load(quiet + "\n").warnings == ()


def test_todays_key_wins_over_the_old_name(project: Project) -> None:
    found = project.load("max_iterations: 3\nevent_loop: {max_iterations: 7}\n")
    assert found.policy.limits.max_iterations == 7
    assert found.warnings == (
        "ralph.yml:1: max_iterations: has no effect: `event_loop.max_iterations` is given as well. Remove this one.",
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hats: {a: {trigger: [x]}}", "ralph.yml:1: hats.a.trigger: unknown key (nearest valid: triggers)"),
        ("hooks: {event: {}}", "ralph.yml:1: hooks.event: unknown key (nearest valid: events)"),
        ("checkpoint_intervall: 3", "checkpoint_intervall: unknown key (nearest valid: checkpoint_interval)"),
        (
            "RObot: {telegram: {bot_tokn: x}}",
            "RObot.telegram.bot_tokn: unknown key (nearest valid: bot_token)",
        ),
        ("hats: {'a b': {}}", "hats.'a b': must be at most 64 letters, digits, '-' or '_', not 'a b'"),
        ("hats: {a: }", "hats.a: must be a mapping, not nothing"),
        ("hats: [a]", "hats: must be a mapping, not a list"),
        ("hats: {a: {triggers: x}}", "hats.a.triggers: must be a list, not the text 'x'"),
        (
            "hats:\n  a:\n    triggers:\n    - a b\n",
            "ralph.yml:4: hats.a.triggers[0]: must be a topic such as",
        ),
        (
            "hats: {a: {default_publishes: 'a.*'}}",
            "hats.a.default_publishes: must be a topic such as build.done",
        ),
        ("hats: {a: {backend: claud}}", "hats.a.backend: unknown agent 'claud', known: claude"),
        ("hats: {a: {when: iteration > 3}}", "hats.a.when: "),
        ("hats: {a: {scan: {log: x}}}", "hats.a.scan: needs `folders` or `backlog`: where to look for work"),
        ("hats: {a: {scan: {folders: {}}}}", "hats.a.scan.folders: must be a mapping of paths to topics"),
        ("hats: {a: {scan: {folders: {../x: y}}}}", "must be a path inside the workspace, not '../x'"),
        ("hats: {a: {scan: {backlog: {a: x, b: y}}}}", "hats.a.scan.backlog: names more than one file"),
        ("events: {'a b': {}}", "events.'a b': must be a topic such as build.done"),
        ("event_loop: {starting_event: 'a.*'}", "event_loop.starting_event: must be a topic"),
        ("event_loop: {cooldown: never}", "event_loop.cooldown: must be one of idle, always"),
        ("memories: {inject: some}", "memories.inject: must be one of auto, manual, none"),
        ("adapters: {claude: {timeout: soon}}", "adapters.claude.timeout: must be a duration"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(project: Project, text: str, says: str) -> None:
    assert says in project.error(text + "\n")


# -- whose defaults ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "older"),
    [
        ("", False),
        ("cli: {command: x}\nevent_loop: {max_iterations: 7}", False),
        ("event_loop: {prompt_file: P.md, completion_promise: X}", True),
        ("event_loop: {completion_promise: X}", False),
        ("hats: {a: {triggers: [x]}}\ngates: none", True),
        ("hats: {}", False),
        ("tasks: {enabled: true}", True),
        ("memories: {budget: 100}\ngates: [{run: x}]", False),
        ("verbose: true", True),
    ],
)
def test_the_older_familys_defaults_hold_in_its_files_only(project: Project, text: str, older: bool) -> None:
    (project.folder / "P.md").write_text("x")
    limits = project.load(text + "\n").policy.limits
    assert limits.hard_seconds == (14400 if older else 28800)


def test_an_unverified_end_of_an_older_file_is_no_failure_unless_proof_is_required(project: Project) -> None:
    text = "tasks: {enabled: true}\n"
    end: End = "completed-unverified"
    assert exit_code(end, project.load(text).policy) == 0
    assert exit_code(end, project.load(text, require_verified=True).policy) == 6
    assert exit_code(end, project.load("event_loop: {max_iterations: 3}\n").policy) == 6
    assert not project.load("hats: {a: {triggers: [x]}}\ngates: [{run: x}]\n").policy.unverified_ok


# -- hats --------------------------------------------------------------------------------------------------------


def test_a_hats_agent_is_the_loops_with_what_the_hat_says(project: Project) -> None:
    text = "cli: {backend: claude, model: big, args: [-a], env: {A: b}}\nhats: {a: {%s}}\n"

    def agent(said: str) -> AgentPolicy | None:
        return hat_of(project.load(text % said, command=())).agent

    main = AgentPolicy(backend="claude", model="big", args=("-a",), env={"A": "b"})
    assert agent("triggers: [x]") is None
    assert agent("backend: {env: {C: d}}") == AgentPolicy(
        backend="claude", model="big", args=("-a",), env={"C": "d"}
    )
    assert agent("model: small") == AgentPolicy(backend="claude", model="small", args=main.args, env=main.env)
    assert agent("backend: codex, backend_args: [-x], model: m") == AgentPolicy(
        backend="codex", model="m", args=("-x",)
    )
    assert agent("allowed_tools: [Read], disallowed_tools: [Edit]") == AgentPolicy(
        backend="claude",
        model="big",
        env=main.env,
        args=("-a", "--tools", "Read", "--disallowedTools", "Edit"),
    )


def test_the_command_lines_agent_wears_every_hat_that_has_none_of_its_own(project: Project) -> None:
    text = "cli: {backend: claude}\nhats: {a: {backend_args: [-x]}, b: {}, c: {backend: [prog, -v]}}\n"
    found = project.load(text, command=("agent", "-y"))
    assert hat_of(found, "a").agent == AgentPolicy(command=("agent", "-y", "-x"))
    assert hat_of(found, "b").agent is None
    assert hat_of(found, "c").agent == AgentPolicy(command=("prog", "-v"), prompt_mode="arg")


def test_what_an_agent_cannot_do_is_told(project: Project) -> None:
    text = "cli: {backend: codex}\nhats: {a: {allowed_tools: [Read], backend: {agent: x}}, b: {model: m, backend: [p]}}\n"
    warnings = project.load(text, command=()).warnings
    assert warnings == (
        "ralph.yml:2: hats.a.backend.agent: is used only with kiro and opencode; put it into args",
        "ralph.yml:2: hats.a.allowed_tools: only claude can be held to it; codex is only told so and may use others",
        "ralph.yml:2: hats.b.model: is used only with an agent known by name; put it into backend_args",
    )


def test_a_scan_is_data(project: Project) -> None:
    text = """\
hats:
  scanner:
    triggers: [board.scan, task.resume]
    scan:
      folders:
        work: work.propose
        ./proposed/: work.finish
      backlog: {tasks.jsonl: task.ready}
    instructions: never read
"""
    found = project.load(text)
    scan = hat_of(found, "scanner").scan
    assert scan is not None
    assert scan.folders == (ScanFolder("work", "work.propose"), ScanFolder("proposed", "work.finish"))
    assert scan.backlog == ScanBacklog("tasks.jsonl", "task.ready")
    assert (scan.failed, scan.log) == ("failed", "poll-log.txt")
    assert hat_of(found, "scanner").declared == ("work.propose", "work.finish", "task.ready", "LOOP_COMPLETE")
    assert found.warnings == (
        "ralph.yml:9: hats.scanner.instructions: has no effect: with `scan`, Ralph looks itself and starts no agent",
    )


def test_hats_with_a_condition_stand_beside_the_roles(project: Project, write: Write) -> None:
    text = "hats: {critic: {when: iterations >= 3, instructions: Find fault.}, a: {triggers: [x]}}\n"
    (critic,) = project.load(text).policy.conditional
    assert (critic.when, critic.id, critic.text) == ("iterations >= 3", "critic", "Find fault.")
    write("roles/tester.md", "Test it.")
    write("roles.yaml", "triggers:\n- {condition: last_iteration_failed, role: tester}\n")
    policy = project.load(text).policy
    assert [hat.id for hat in policy.conditional] == ["tester", "critic"]
    assert policy.routing is not None and [hat.id for hat in policy.routing.hats] == ["critic", "a"]


def test_keys_of_hats_without_hats_are_told(project: Project) -> None:
    text = "event_loop: {persistent: true, cooldown: idle, cooldown_delay_seconds: 0, starting_event: x}\nevents: {x: {}}\n"
    said = [warning.split(": ")[1] for warning in project.load(text).warnings]
    assert sorted(said) == ["event_loop.persistent", "event_loop.starting_event", "events"]


def test_gates_on_an_event_need_gates(project: Project) -> None:
    text = "event_loop: {gate_on: [x]}\nhats: {a: {triggers: [x]}}\n"
    assert project.load(text).warnings == ("ralph.yml:1: event_loop.gate_on: has no effect: no gate is set",)


def test_time_limits_of_hats_are_stretched_like_all_others(project: Project) -> None:
    text = "hats: {a: {timeout: 10m}}\n"
    assert hat_of(project.load(text, timeout_multiplier=2.0)).timeout == 1200


def test_a_hats_scratchpad_is_its_own_or_none_at_all(project: Project) -> None:
    text = "hats: {a: {scratchpad: %s}}\n"
    for said, path in (
        ("notes/a.md", "notes/a.md"),
        ("{path: ./b.md}", "b.md"),
        ("{enabled: false}", None),
        ("{enabled: true}", ""),
    ):
        assert hat_of(project.load(text % said)).scratchpad == path


def test_the_loops_own_scratchpad_cannot_be_turned_off(project: Project) -> None:
    found = project.load("core: {scratchpad: {enabled: false, path: x.md}}\n")
    assert found.policy.scratchpad == ".ralph/agent/scratchpad.md"
    assert found.warnings == (
        "ralph.yml:1: core.scratchpad: is not turned off: each iteration hands over by it. A hat may have none.",
    )


def test_keys_of_events_are_told_where_no_event_puts_a_hat_on(project: Project) -> None:
    hats = "{a: {when: first_iteration, publishes: [x], fresh: true}, b: {scratchpad: {enabled: false}}}"
    text = f"event_loop: {{persistent: true}}\nhats: {hats}\n"
    what = "has no effect: no hat has `triggers` or `scan`, so that no event puts one on"
    assert project.load(text).warnings == (
        f"ralph.yml:1: event_loop.persistent: {what}",
        f"ralph.yml:2: hats.a.publishes: {what}",
        f"ralph.yml:2: hats.a.fresh: {what}",
        "ralph.yml:2: hats.b.scratchpad: is not turned off: without events, each iteration hands over by one",
    )
    assert project.load(text.replace("when:", "triggers: [y], when:")).warnings == ()


EVENT_HATS = """\
hats:
  builder: {triggers: [task.start, build.again], publishes: [build.done], description: Builds., instructions: Build it.}
  checker: {triggers: [build.done], publishes: [build.again, LOOP_COMPLETE], description: Checks., instructions: Check it.}
  critic: {when: iterations >= 4, publishes: [build.again], description: Finds fault., instructions: Find fault.}
"""


@pytest.mark.parametrize(("journal", "text"), [("roles", ""), ("roles-and-hats", EVENT_HATS)])
def test_roles_load_into_the_hats_that_old_journals_are_read_as(
    project: Project, write: Write, journal: str, text: str
) -> None:
    """What those journals record came from these files."""
    lines = (FIXTURES / "journals" / journal / "journal.jsonl").read_bytes().splitlines()
    records = [msgspec.json.decode(line, type=Record) for line in lines]
    (started,) = [decode(record.data) for record in records if record.kind == "loop.started"]
    assert isinstance(started, LoopStarted)
    for role in ("reviewer", "architect", "debugger", "documenter"):
        write(f"roles/{role}.md", f"# Role: {role}\nBe the {role}.\n")
    write("config/roles.yaml", (FIXTURES / "roles/roles.yaml").read_text())
    write("working.md", "Work carefully.\n")
    assert project.load(text).policy.team == started.policy.team
