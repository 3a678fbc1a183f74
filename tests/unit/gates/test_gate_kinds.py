"""Kinds of gates: told apart by traits, found by name, and shown when they are not known."""

from __future__ import annotations

import ast
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

import gate_package
from loop_states import loop_state
from parsed import nodes
from ralph.config.load import Resolved, load
from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import COMMAND, REVIEWER, GateKind, GatePolicy, Policy, Task
from ralph.errors import RalphError
from ralph.gates import kinds
from ralph.gates.command import Command
from ralph.gates.reviewer import Reviewer

PACKAGE = Path(__file__).parents[3] / "src/ralph"
LINES = GatePolicy("x", other_kind=GateKind("lines"), options={"file": "a", "least": 1})


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(gate_package.install(tmp_path))


def loaded(folder: Path, text: str) -> Resolved:
    (folder / "ralph.yml").write_text(text)
    return load(folder)


# -- told apart -------------------------------------------------------------------------------------------


def test_recorded_gates_have_the_kind_that_they_always_had() -> None:
    command, reviewer = (
        msgspec.json.decode(text, type=GatePolicy)
        for text in ('{"name":"tests","run":"make test"}', '{"name":"spec","review":"spec"}')
    )
    assert (command.kind, reviewer.kind) == (COMMAND, REVIEWER)
    assert isinstance(kinds.kind_of(command), Command) and isinstance(kinds.kind_of(reviewer), Reviewer)
    for gate in (command, reviewer):  # and nothing new is recorded of them
        assert set(msgspec.to_builtins(gate)) <= {"name", "run", "review"}


def test_no_other_module_tells_gates_apart_by_their_fields() -> None:
    """What a reviewer looks for is a text for its prompt; whether there is one is nobody's business but the policy's."""
    may_read = {"core/policy.py", "prompt/review.py"}
    found = []
    for path in PACKAGE.rglob("*.py"):
        called = set()
        for node in nodes(path):
            if isinstance(node, ast.Call):
                called.add(id(node.func))
            elif (
                isinstance(node, ast.Attribute)
                and node.attr in ("review", "other_kind")
                and id(node) not in called
            ):
                found.append((str(path.relative_to(PACKAGE)), node.attr, node.lineno))
    assert [one for one in found if one[1] == "review" and one[0] not in may_read] == []
    assert {one[0] for one in found if one[1] == "other_kind"} == {"core/policy.py", "gates/kinds.py"}


def test_the_core_names_no_kind() -> None:
    for path in (PACKAGE / "core").glob("*.py"):
        if path.name not in ("gate_kinds.py", "policy.py"):
            assert not {"COMMAND", "REVIEWER"} & set(path.read_text().replace("(", " ").split()), path


# -- found by name ----------------------------------------------------------------------------------------


def test_a_kind_of_a_package_is_found(installed: None) -> None:
    kind = kinds.kind_of(LINES)
    assert kind.about == LINES.kind
    s = loop_state(policy=Policy(agent=AgentPolicy(), gates=(LINES,)))
    assert [gate.run for gate in kinds.as_run(s)] == [""]
    assert kinds.evidence_of(LINES, s) == "wc -l < a"
    assert kinds.missing_kinds((LINES,)) == ""


@pytest.mark.parametrize(
    ("name", "says"), [("broken", "cannot be loaded: ModuleNotFoundError"), ("other", "calls itself 'lines'")]
)
def test_a_kind_that_cannot_be_used_names_its_package(installed: None, name: str, says: str) -> None:
    with pytest.raises(RalphError, match=says) as caught:
        kinds.kind_of(replace(LINES, other_kind=GateKind(name)))
    assert "ralph-lines" in caught.value.todo


def test_the_names_of_ours_cannot_be_taken(installed: None) -> None:
    assert "command" not in kinds.kind_names()
    with pytest.raises(RalphError, match="not known here"):
        kinds.kind_of(replace(LINES, other_kind=GateKind("command")))


def test_the_configuration_names_kinds_and_their_options(installed: None, tmp_path: Path) -> None:
    cli = "cli: {command: a}\nevent_loop: {prompt: p}\n"
    (gate,) = loaded(tmp_path, cli + gate_package.GATES).policy.gates
    options = {"file": "answer", "least": 1}
    assert gate == GatePolicy("answer", hermetic=True, other_kind=GateKind("lines"), options=options)
    for text, says in (
        ("{kind: lins}", "unknown kind 'lins'"),
        ("{kind: lines, options: {file: a}}", "options: needs `least`, a whole number"),
        ("{kind: lines, options: {file: 1.5, least: {a: [x, null]}}}", "options: needs `file`, a path"),
        ("{kind: command}", "'command' is said by `run` alone"),
        ("{kind: lines, run: x}", "has both `run` and `kind`"),
        ("{kind: lines, options: 3}", "options: must be a mapping"),
    ):
        with pytest.raises(RalphError) as caught:
            loaded(tmp_path, f"{cli}gates: [{text}]\n")
        assert says in str(caught.value), text
    with pytest.raises(RalphError, match=r"nearest valid: lines"):
        loaded(tmp_path, f"{cli}gates: [{{kind: lins}}]\n")


# -- shown, not run ---------------------------------------------------------------------------------------


def test_a_kind_that_is_not_known_is_decoded_and_judged_by_its_recorded_traits() -> None:
    gate = GatePolicy("oracle", other_kind=GateKind("oracle", asked_once=True), options={"depth": 3})
    started = f.LoopStarted(
        loop="l", task=Task("t", "T"), policy=Policy(agent=AgentPolicy(), gates=(gate,)), root="/r"
    )
    s = fold(LoopState(), f.decode(f.encode(started)))
    assert s.gates == (gate,)
    assert s.gates[0].question == "oracle (depth: 3)"
    assert "oracle" in kinds.missing_kinds(s.gates)
    assert kinds.evidence_of(gate, s) == "oracle (depth: 3)"
    said = f.GateEnded(
        op="claim:1:oracle:as-is",
        gate="oracle",
        purpose="claim",
        variant="as-is",
        tree="t1",
        command="",
        code=0,
        seconds=1.0,
        passed=True,
    )
    assert list(fold(s, said).judgement.reviews) == ["oracle as-is t1"]


def test_traits_of_a_later_version_do_not_keep_a_journal_from_being_read() -> None:
    text = '{"name":"x","kind":{"name":"oracle","asked_once":true,"reads_minds":true},"options":{"a":[1]}}'
    gate = msgspec.json.decode(text, type=GatePolicy)
    assert gate.kind == GateKind("oracle", asked_once=True)
