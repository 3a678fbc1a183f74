"""What `ralph init` writes: the text of ralph.yml, presets, the skill, .gitignore, and that it is all or nothing."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import yaml

from ralph.config.load import Resolved, load
from ralph.config.settings import Overrides
from ralph.core.exits import BY_NAME, CODES, SOME_TASKS_FAILED
from ralph.core.policy import GatePolicy
from ralph.errors import RalphError
from ralph.git.repo import Repo, find, without_git
from ralph.setup import plan
from ralph.setup.detect import Proposal
from ralph.setup.plan import (
    SCHEMA_LINE,
    ChosenGate,
    ProposedGate,
    assumed,
    comment,
    places,
    ralph_yml,
    scalar,
    skill,
)
from ralph.setup.presets import preset, presets
from ralph.setup.project import Agent, Machine, agents_on_path, known_agents, wanted_agent
from ralph.setup.trial import Trial
from ralph.setup.write import IGNORED, File, apply, gitignore, missing_ignores

Lay = Callable[[dict[str, str]], Path]
Having = Callable[..., Machine]

PLAIN = preset("plain")
AGENTS = known_agents()
CLAUDE = AGENTS[0]


def loaded(tmp_path: Path, text: str, **overrides: object) -> Resolved:
    file = tmp_path / "loaded.yml"
    file.write_text(text)
    return load(tmp_path, file, Overrides(prompt="any", **overrides))  # type: ignore[arg-type]


# -- ralph.yml -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", AGENTS, ids=[agent.name for agent in AGENTS])
@pytest.mark.parametrize("name", [one.name for one in presets()])
def test_every_agent_in_every_preset_loads_as_it_was_meant(tmp_path: Path, name: str, agent: Agent) -> None:
    gates = (
        ProposedGate("tests", "make test", ("why",)),
        ProposedGate("more", "CI=1 npm test && echo ok # yes"),
    )
    found = loaded(tmp_path, ralph_yml(preset(name), agent, gates))
    policy = found.policy.agent
    assert (policy.backend, policy.command, policy.env) == (agent.name, (), {})
    assert [gate.run for gate in found.policy.gates][:2] == ["make test", "CI=1 npm test && echo ok # yes"]
    assert found.warnings == ()


def test_the_file_for_claude_is_the_same_whoever_writes_it() -> None:
    """It is committed: what holds for root on one machine is no business of the others."""
    text = ralph_yml(PLAIN, CLAUDE, [])
    assert "env:" not in text and "IS_SANDBOX" not in text


def test_gates_stand_together(tmp_path: Path) -> None:
    text = ralph_yml(PLAIN, CLAUDE, [ProposedGate("a", "true"), ProposedGate("b", "true")])
    assert "    run: true\n  - name: b\n" in text or '    run: "true"\n  - name: b\n' in text


@pytest.mark.parametrize("one", presets(), ids=[one.name for one in presets()])
def test_every_preset_is_a_configuration_by_itself(tmp_path: Path, one: object) -> None:
    assert loaded(tmp_path, one.text).policy.gates  # type: ignore[attr-defined]


def gates_of(tmp_path: Path, name: str) -> tuple[GatePolicy, ...]:
    return loaded(
        tmp_path, ralph_yml(preset(name), CLAUDE, [ProposedGate("tests", "make test")])
    ).policy.gates


def test_the_preset_gated_has_the_order_and_the_limits_of_its_seed(tmp_path: Path) -> None:
    policy = loaded(tmp_path, ralph_yml(preset("gated"), CLAUDE, [ProposedGate("tests", "make test")])).policy
    gates = [(g.name, g.review, g.hard, g.soft_timeout, g.hard_timeout) for g in policy.gates]
    assert gates == [
        ("tests", "", True, 300, 600),
        ("spec", "spec", True, 180, 300),
        ("quality", "quality", False, 120, 180),
    ]
    limits = policy.limits
    assert (limits.soft_seconds, limits.hard_seconds) == (45 * 60, 60 * 60)
    assert (limits.iteration_soft_seconds, limits.iteration_hard_seconds) == (12 * 60, 20 * 60)
    assert (limits.max_attempts, policy.claim) == (5, "exit-zero")


def test_the_preset_micro_reviews_the_claim_once(tmp_path: Path) -> None:
    policy = loaded(tmp_path, ralph_yml(preset("micro"), CLAUDE, [ProposedGate("tests", "make test")])).policy
    assert [(g.name, g.review, g.every, g.hard) for g in policy.gates] == [
        ("tests", "", "claim", True),
        ("spec", "spec", "claim", True),
    ]
    assert (policy.claim, policy.limits.max_iterations) == ("signal", 50)


def test_a_preset_with_reviews_stands_without_commands(tmp_path: Path) -> None:
    found = loaded(tmp_path, ralph_yml(preset("gated"), CLAUDE, []))
    assert [gate.name for gate in found.policy.gates] == ["spec", "quality"]


def test_the_file_begins_with_the_line_for_editors() -> None:
    assert ralph_yml(PLAIN, CLAUDE, []).splitlines()[0] == SCHEMA_LINE


def test_without_an_agent_the_file_says_what_is_missing_and_so_does_loading_it(tmp_path: Path) -> None:
    text = ralph_yml(PLAIN, None, [ProposedGate("tests", "make test")])
    assert "claude" in text and "codex" in text
    with pytest.raises(RalphError, match="there is no agent"):
        loaded(tmp_path, text)
    assert loaded(tmp_path, text, command=("true",)).policy.gates


def test_without_gates_the_file_is_still_valid(tmp_path: Path) -> None:
    found = loaded(tmp_path, ralph_yml(PLAIN, CLAUDE, []))
    assert found.policy.gates == () and not found.policy.gates_declined
    assert loaded(tmp_path, ralph_yml(PLAIN, CLAUDE, [], declined=True)).policy.gates_declined


def test_a_gate_that_cannot_run_is_a_comment(tmp_path: Path) -> None:
    gates = [ProposedGate("a", "nothere", ("why",), active=False), ProposedGate("b", "true")]
    text = ralph_yml(PLAIN, CLAUDE, gates)
    assert [gate.name for gate in loaded(tmp_path, text).policy.gates] == ["b"]
    assert "run: nothere" in text
    assert loaded(tmp_path, ralph_yml(PLAIN, CLAUDE, gates[:1])).policy.gates == ()


def test_what_a_gate_writes_every_time_is_allowed(tmp_path: Path) -> None:
    text = ralph_yml(PLAIN, CLAUDE, [ProposedGate("a", "true", may_write=(".coverage", "out put/"))])
    assert loaded(tmp_path, text).policy.gates[0].may_write == (".coverage", "out put/")


NASTY = [
    "yes",
    "1e3",
    "- a",
    "a: b",
    "a #b",
    "'\"",
    "  padded ",
    "{}",
    "~",
    "-",
    "echo 'é ☃ 😀'",
    "a\nb: c",
    "tab\there",
    "\x7f\x1b[31m",
    "\u2028x\ufeff",
    "%d",
    "!x",
    "*x",
    "a\\b",
]


@pytest.mark.parametrize("text", NASTY)
def test_any_text_survives_being_written(text: str) -> None:
    assert yaml.safe_load(f"[{scalar(text)}]") == [text]
    assert yaml.safe_load(f"key: {scalar(text)}") == {"key": text}


@pytest.mark.parametrize("text", [*NASTY, "x" * 1000, "\r\nfake: key", "\x85gates: none", "\ud800"])
def test_any_text_can_stand_in_a_comment(tmp_path: Path, text: str) -> None:
    shown = comment(text)
    assert len(shown.splitlines()) <= 1 and shown.isprintable() and len(shown) <= 160
    found = loaded(tmp_path, ralph_yml(PLAIN, CLAUDE, [ProposedGate("a", "true", (text,))]))
    assert [gate.run for gate in found.policy.gates] == ["true"]


def test_the_file_says_what_was_found_and_measured(tmp_path: Path) -> None:
    chosen = ChosenGate(
        Proposal("tests", "pytest", "pytest.ini configures pytest", hint="run x first"),
        trial=Trial("red", 1.24, "test_a: assert 1 == 2"),
    )
    made = plan.configuration(
        tmp_path, preset=PLAIN, agent=CLAUDE, gates=[chosen], declined=False, force=False
    )
    text = made.files[0].data.decode()
    assert "# pytest.ini configures pytest. Fails today, 1.2 s: test_a: assert 1 == 2." in text
    assert "# Perhaps run x first." in text
    assert not (tmp_path / "ralph.yml").exists(), "a plan writes nothing"


# -- agents --------------------------------------------------------------------------------------------


def test_agents_on_path_come_in_the_order_of_the_table(having: Having) -> None:
    found = agents_on_path(having("aider", "codex", "claude", "vim"))
    assert [agent.name for agent in found] == ["claude", "codex", "aider"]


def test_an_agent_may_be_any_command(having: Having) -> None:
    machine = having("mine")
    assert wanted_agent("codex", machine) == Agent("codex")
    assert wanted_agent("mine", machine).command == ("mine",)
    assert wanted_agent("./agent.sh --fast 'a b'", machine).command == ("./agent.sh", "--fast", "a b")


@pytest.mark.parametrize(
    ("text", "says"), [("cladue", "Did you mean claude"), ("", "Known"), ("'", "words"), ("x", "Known")]
)
def test_an_unknown_agent_is_refused_with_what_is_near(having: Having, text: str, says: str) -> None:
    with pytest.raises(RalphError) as caught:
        wanted_agent(text, having())
    assert says in str(caught.value)


# -- presets -------------------------------------------------------------------------------------------


def test_presets_have_a_name_and_one_line_each() -> None:
    assert [one.name for one in presets()] == [
        *("plain", "gated", "micro", "task", "backlog"),
        *("plan-build-review", "tdd", "debug", "research", "board"),
    ]
    assert all(one.about and "\n" not in one.about for one in presets())


def test_an_unknown_preset_names_the_nearest() -> None:
    with pytest.raises(RalphError) as caught:
        preset("gatd")
    assert "gated" in caught.value.todo


# -- the skill -----------------------------------------------------------------------------------------


def test_the_skill_has_front_matter_that_agents_read() -> None:
    text = skill()
    assert text.startswith("---\n")
    front = yaml.safe_load(text.split("---\n")[1])
    assert front["name"] == "ralph-loop"
    assert places() == (".claude/skills/ralph-loop/SKILL.md", ".agents/skills/ralph-loop/SKILL.md")
    assert 0 < len(front["description"]) <= 1024


def test_the_skill_lists_every_exit_code_with_its_end_and_advice() -> None:
    rows = {}
    for line in skill().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0].isdigit():
            rows[int(cells[0])] = cells[1:]
    assert set(rows) == {*CODES.values(), SOME_TASKS_FAILED, 2}
    for end, code in CODES.items():
        assert rows[code] == [end, BY_NAME[end].next]


def test_the_skill_tells_a_proof_from_a_mere_zero() -> None:
    text = skill()
    told = text[text.index("Code 0 alone is not proof") :]
    for word in ("--no-gates", "ralph status --json", "completed-verified", "red→green", "green→green"):
        assert word in told, word
    from ralph.cli.show.loop_status import status_json
    from ralph.history.loops import Loop

    assert {"end", "proof"} <= status_json(Loop(), Path()).keys(), "what the skill has them look at"


def test_the_skill_names_only_commands_and_options_that_exist() -> None:
    import re

    from ralph.cli.app import app

    context = app.make_context("ralph", ["x"], resilient_parsing=True)
    used = set(re.findall(r"\bralph ([a-z]+)", skill().split("---\n")[2]))
    assert {"run", "status", "report", "logs", "resume"} <= used
    for name in used:
        assert app.get_command(context, name) is not None, name
    known = {option for param in app.get_command(context, "run").params for option in param.opts}  # type: ignore[union-attr]
    assert {"-p", "-P", "--criteria", "--gate", "--in-place"} <= known


# -- what is assumed without a file --------------------------------------------------------------------


def test_what_is_assumed_is_a_configuration_and_is_said(lay: Lay, having: Having, tmp_path: Path) -> None:
    found = assumed(lay({"go.mod": ""}), agent=True, gates=True, machine=having("claude", "go"))
    assert found.said == (
        "no ralph.yml: agent claude (on PATH)",
        "gate tests: `go test ./...` (go.mod)",
    )
    policy = loaded(tmp_path, found.text).policy
    assert policy.agent.backend == "claude"
    assert [gate.run for gate in policy.gates] == ["go test ./..."]


def test_only_what_is_wanted_is_assumed(lay: Lay, having: Having, tmp_path: Path) -> None:
    folder, machine = lay({"go.mod": ""}), having("claude", "go")
    only_gates = assumed(folder, agent=False, gates=True, machine=machine)
    assert only_gates.said == ("no ralph.yml: gate tests: `go test ./...` (go.mod)",)
    assert loaded(tmp_path, only_gates.text, command=("x",)).policy.gates
    only_agent = assumed(folder, agent=True, gates=False, machine=machine)
    assert only_agent.said == ("no ralph.yml: agent claude (on PATH)",)
    assert loaded(tmp_path, only_agent.text).policy.gates == ()
    assert assumed(folder, agent=False, gates=False, machine=machine).said == ()


def test_what_cannot_be_assumed_is_said_too(lay: Lay, having: Having) -> None:
    found = assumed(lay({}), agent=True, gates=True, machine=having())
    assert "no agent" in found.said[0] and "nothing will be proven" in found.said[1]


# -- .gitignore ----------------------------------------------------------------------------------------


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    subprocess.run(["git", "init", "-q", tmp_path / "repo"], check=True)
    found = find(tmp_path / "repo")
    assert found
    return found


@pytest.mark.parametrize(
    ("old", "start"),
    [
        (b"", b"# Ralph"),
        (b"build/\n", b"build/\n\n# Ralph"),
        (b"build/", b"build/\n\n# Ralph"),
        (b"a\r\nb\r\n", b"a\r\nb\r\n\r\n# Ralph"),
        (b"a\r\nb", b"a\r\nb\r\n\r\n# Ralph"),
        (b"\xff\xfe odd\n", b"\xff\xfe odd\n\n# Ralph"),
    ],
)
def test_lines_are_added_and_every_other_byte_stays(repo: Repo, old: bytes, start: bytes) -> None:
    path = repo.root / ".gitignore"
    path.write_bytes(old)
    path.chmod(0o640)
    apply([gitignore(path, missing_ignores(repo, repo.root))])
    new = path.read_bytes()
    assert new.startswith(start) and new.endswith(b"\n")
    assert (b"\r\n" in new) == (b"\r\n" in old) and b"\n\n\n" not in new
    if b"\r\n" in old:
        assert new.count(b"\n") == new.count(b"\r\n")
    assert path.stat().st_mode & 0o777 == 0o640
    assert missing_ignores(repo, repo.root) == ()


def test_git_then_ignores_what_ralph_writes(repo: Repo) -> None:
    apply([gitignore(repo.root / ".gitignore", missing_ignores(repo, repo.root))])
    for name in (".ralph/x", ".ralph_state.md", ".ralph.lock", ".stop", "ralph.log", "ralph.log.1"):
        done = subprocess.run(["git", "check-ignore", "-q", name], cwd=repo.root)
        assert done.returncode == 0, name


def test_only_lines_that_are_missing_are_added(repo: Repo) -> None:
    (repo.root / ".gitignore").write_text(" .ralph \n/.stop\nralph.log\nralph.log.1\n")
    assert missing_ignores(repo, repo.root) == (".ralph_state.md", ".ralph.lock")
    below = repo.root / "sub"
    below.mkdir()
    assert missing_ignores(repo, below) == (".ralph_state.md", ".ralph.lock", ".stop")


def test_without_git_nothing_is_ignored(tmp_path: Path) -> None:
    assert missing_ignores(without_git(tmp_path), tmp_path) == ()


def test_a_gitignore_that_is_a_link_is_refused(repo: Repo) -> None:
    (repo.root / ".gitignore").symlink_to("elsewhere")
    with pytest.raises(RalphError) as caught:
        gitignore(repo.root / ".gitignore", IGNORED)
    assert "--no-gitignore" in caught.value.todo


# -- all or nothing ------------------------------------------------------------------------------------


def listing(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else b"" for p in folder.rglob("*")}


def test_files_are_written_with_their_folders(tmp_path: Path) -> None:
    written = apply([File(tmp_path / "a/b/c.txt", b"1"), File(tmp_path / "d.txt", b"2")])
    assert written.paths == (tmp_path / "a/b/c.txt", tmp_path / "d.txt")
    assert listing(tmp_path) == {"a": b"", "a/b": b"", "a/b/c.txt": b"1", "d.txt": b"2"}
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "d.txt").stat().st_mode & 0o777 == 0o666 & ~mask


def test_what_exists_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("theirs")
    before = listing(tmp_path)
    with pytest.raises(RalphError, match="cannot be written"):
        apply([File(tmp_path / "new/a", b"1"), File(tmp_path / "b", b"2")])
    assert listing(tmp_path) == before


def test_a_failure_takes_everything_back(tmp_path: Path) -> None:
    (tmp_path / "old.yml").write_text("old")
    (tmp_path / "aside").write_text("aside")
    (tmp_path / "folder").mkdir()
    before = listing(tmp_path)
    files = [
        File(tmp_path / "new/a", b"1"),
        File(tmp_path / "old.yml", b"2", replace=True),
        File(tmp_path / "folder", b"3", replace=True),
    ]
    with pytest.raises(RalphError, match="cannot be written"):
        apply(files, [tmp_path / "aside"])
    assert listing(tmp_path) == before


def test_a_path_through_a_file_takes_everything_back(tmp_path: Path) -> None:
    (tmp_path / ".ralph").write_text("a file")
    with pytest.raises(RalphError, match="cannot be written"):
        apply([File(tmp_path / "a", b"1"), File(tmp_path / ".ralph/schema.json", b"2")])
    assert listing(tmp_path) == {".ralph": b"a file"}


def test_what_is_replaced_is_kept_under_names_that_were_free(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    path.write_text("1")
    for text in (b"2", b"3"):
        apply([File(path, text, replace=True)])
    assert listing(tmp_path) == {"x.yml": b"3", "x.yml.bak": b"1", "x.yml.bak2": b"2"}


def test_the_plan_carries_the_schema(tmp_path: Path) -> None:
    made = plan.configuration(
        tmp_path, preset=PLAIN, agent=CLAUDE, gates=[], declined=False, force=False, ignore=IGNORED
    )
    made.carry_out()
    found = json.loads((tmp_path / ".ralph/schema.json").read_text())
    assert "gates" in found["properties"]
    assert msgspec.yaml.decode((tmp_path / "ralph.yml").read_bytes())["event_loop"]


def test_a_gate_that_no_file_can_hold_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    chosen = ChosenGate(Proposal("a", "echo \0", "x"), own=True)
    with pytest.raises(RalphError):
        plan.configuration(tmp_path, preset=PLAIN, agent=None, gates=[chosen], declined=False, force=False)
    assert listing(tmp_path) == {}
