"""Prompts under hats: instructions, events and what may be emitted; how to complete only where no hat is on."""

from __future__ import annotations

import pytest
from core_world import TESTS, World, hat, policy
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.facts import IterationEnded, IterationStarted, LoopStarted, WorkspacePrepared
from ralph.core.hats.model import Hat, Meaning, Scan, ScanFolder, Team
from ralph.core.loop.decide import RunAgent, decide
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy, MemoryPolicy, Policy, Task
from ralph.prompt.compose import Context, compose

OWN_CHARS = 1100  # Ralph's own text under a hat: paid for in each iteration
TEAM = Team(
    hats=(
        Hat(
            "builder",
            name="Builder",
            description="Builds.",
            triggers=("task.start", "review.failed"),
            publishes=("build.done", "build.stuck"),
            default_publishes="build.stuck",
            instructions="Build the thing.",
            extra_instructions=("Never touch main.",),
            disallowed_tools=("WebSearch",),
        ),
        Hat(
            "reviewer",
            triggers=("build.done",),
            publishes=("LOOP_COMPLETE", "review.failed"),
            scratchpad=None,
        ),
    ),
    enforce_scope=True,
    meanings={
        "build.done": Meaning(
            description="The tree is green.", on_publish="Name the files.", on_trigger="Look."
        ),
    },
)


def begin(team: Team = TEAM, **changes: object) -> LoopState:
    policy = replace(Policy(agent=AgentPolicy(), team=team), **changes)
    s = fold(LoopState(), LoopStarted(loop="l", task=Task("t", "Make it work"), policy=policy, root="/r"))
    return fold(s, WorkspacePrepared(tree="base"))


def run(s: LoopState, said: str, tree: str = "t1") -> LoopState:
    (op,) = decide(s)
    assert isinstance(op, RunAgent)
    started = IterationStarted(
        serial=op.serial, n=op.n, prompt="p", prompt_chars=1, tree=s.workspace.tree, hat=op.hat
    )
    ended = IterationEnded(
        serial=op.serial, n=op.n, how="exited", code=0, seconds=1.0, tree=tree, said=said, structured=True
    )
    return fold(fold(s, started), ended)


def prompt_of(s: LoopState, context: Context | None = None) -> str:
    (op,) = decide(s)
    assert isinstance(op, RunAgent)
    return compose(s.under_hat(op.hat), op, context or Context()).text


def test_a_hat_is_told_its_instructions_its_event_and_what_it_may_emit() -> None:
    text = prompt_of(begin())
    for part in (
        "Make it work",
        "# Your hat: Builder",
        "Build the thing.\nNever touch main.",
        "Do not use these tools: WebSearch.",
        "- `task.start`",
        "- `build.done`: The tree is green. Name the files.",
        "If you emit nothing, `build.stuck` is emitted for you.",
    ):
        assert part in text, part
    assert "TASK_COMPLETE" not in text and "LOOP_COMPLETE" not in text


def test_a_payload_of_several_lines_is_fenced_and_its_meaning_is_told() -> None:
    s = run(begin(), '<event topic="build.done">a.py\n```\nb.py</event>')
    text = prompt_of(s)
    assert "- `build.done`:\n````\na.py\n```\nb.py\n````" in text
    assert "The tree is green." in text and "Look." in text and "Name the files." not in text
    assert "Leave in the scratchpad" not in text  # the reviewer has none


def test_how_to_complete_is_told_only_where_no_hat_is_on() -> None:
    s = run(
        begin(), '<event topic="unknown.topic">x</event>'
    )  # refused: nothing was emitted; the default goes out
    text = prompt_of(s)
    assert "# You coordinate" in text and "- `LOOP_COMPLETE` alone on the last line" in text
    assert "no hat takes build.stuck" in text
    assert "- Builder: Builds. Takes `task.start`, `review.failed`." in text
    assert "`unknown.topic` from the iteration before was refused: builder may not publish" in text


def test_what_ralph_says_under_a_hat_is_short_and_the_part_before_the_hat_never_changes() -> None:
    s = begin(replace(TEAM, gate_on=("build.done",)), memories=MemoryPolicy(), gates=(TESTS,), guidance="x")
    s = World(s.identity.policy, s.identity.task).base().state
    (op,) = decide(s)
    assert isinstance(op, RunAgent)
    first = compose(s.under_hat(op.hat), op, Context())
    assert "gates must pass" in first.text and "# Rules" in first.text
    assert first.own_chars <= OWN_CHARS, first.own_chars
    head = first.text.partition("# Your hat")[0]
    assert "Make it work" in head and "# Rules\nx\n" in head
    second = prompt_of(run(begin(guidance="x"), '<event topic="build.done">x</event>'))
    without_hat = prompt_of(run(begin(guidance="x"), "I did nothing."))
    for later, which in ((second, "# Your hat: reviewer"), (without_hat, "# You coordinate")):
        assert later.startswith(head) and which in later


def test_memories_and_todos_come_after_the_scratchpad() -> None:
    context = Context(
        scratchpad="# Phase: x", memories="# Memories\n> use uv", todos="<ready-tasks>\n</ready-tasks>"
    )
    text = prompt_of(begin(), context)
    assert text.index("# Phase: x") < text.index("# Memories") < text.index("<ready-tasks>")
    assert "ralph tools memory add" in text
    assert "ralph tools memory add" not in prompt_of(begin(memories=MemoryPolicy(enabled=False)))


def only(*hats: Hat, **more: object) -> Team:
    return Team(hats=hats, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ({"description": "Sorts the shelf."}, "Sorts the shelf."),
        ({"description": "Sorts.", "extra_instructions": ("Gently.",)}, "Sorts.\nGently."),
    ],
)
def test_a_hat_without_instructions_is_told_its_description(told: dict[str, object], shown: str) -> None:
    text = prompt_of(begin(only(hat("a", "task.start", publishes=("a.done",), **told))))
    assert f"# Your hat: a\n{text.partition('# Your hat: a')[2].splitlines()[1]}\n\n{shown}\n\n" in text


def test_a_hat_with_instructions_is_not_told_its_description_which_is_for_others() -> None:
    assert "Builds." not in prompt_of(begin())


def test_a_hat_that_a_condition_put_on_is_told_its_instructions_once() -> None:
    team = only(hat("a", "task.start"), hat("b", instructions="Count the shelves.", when="first_iteration"))
    text = prompt_of(begin(team))
    assert "# Your hat: b" in text and text.count("Count the shelves.") == 1


def test_a_hat_is_told_which_of_its_events_the_gates_come_before() -> None:
    gates = (TESTS, GatePolicy(name="spec", review="spec"))
    names = "tests: `sh test.sh`, spec: a reviewer reads the change."
    maker = hat("maker", "task.start", publishes=("build.*", "idea"), default_publishes="LOOP_COMPLETE")
    team = only(maker, gate_on=("build.done", "other.done"))

    def told(team: Team, gates: tuple[GatePolicy, ...] = gates) -> str:
        return prompt_of(World(policy(team=team, gates=gates)).base().state)

    assert f"gates must pass first for `build.done`, `LOOP_COMPLETE`: {names}" in told(team)
    assert f"gates must pass first for `build.done`: {names}" in told(replace(team, persistent=True))
    assert "gates must pass" not in told(team, ())
    assert "gates must pass" not in told(only(hat("a", "task.start", publishes=("idea",))))


def test_the_coordinator_has_a_head_of_its_own_and_knows_how_the_whole_ends() -> None:
    team = replace(TEAM, completion_promise="ALL SHELVED")
    world = World(policy(team=team, completion_promise="ALL SHELVED")).base()
    world.iterate("t1", '<event topic="nobodys.topic">x</event>')
    text = prompt_of(world.state)
    for part in (
        "# Task of the team\nMake it work",
        "- reviewer: Takes `build.done`.",
        "## What it is about\n- `build.stuck`",
        "After 3 turns in a row that bring on no hat the loop ends.",
        "- `ALL SHELVED` alone on the last line: the whole task is done. Ralph then runs its own gates",
        "(tests: `sh test.sh`)",
        "- `TASK_STUCK: <reason>`: ",
    ):
        assert part in text, part
    for part in ("ITERATION_DONE", "Make one small change", "TASK_COMPLETE"):
        assert part not in text, part


def test_sentences_of_an_event_are_kept_apart() -> None:
    meanings = {"a.done": Meaning(description="The build is done", on_publish="Say the tests' state")}
    team = only(hat("a", "task.start", publishes=("a.done",)), meanings=meanings)
    assert "- `a.done`: The build is done. Say the tests' state.\n" in prompt_of(begin(team))


def test_the_users_rules_have_a_heading_below_the_specifications() -> None:
    text = prompt_of(begin(guidance="- Be kind.", specs_dir="specs"))
    assert "The specifications are in `specs`.\n\n# Rules\n- Be kind.\n" in text


def test_a_hat_without_a_scratchpad_reads_nothing_of_one() -> None:
    text = prompt_of(run(begin(), '<event topic="build.done">x</event>'))
    assert "# Your hat: reviewer" in text and "cratchpad" not in text


# -- boards --------------------------------------------------------------------------------------------------------

SCAN = Scan((ScanFolder("work", "work.make"),))
BOARD = only(
    hat("scanner", "board.scan", "board.rescan", scan=SCAN),
    hat("maker", "work.make", publishes=("made",)),
    hat("checker", "made", publishes=("board.rescan",)),
    starting_event="board.scan",
    gate_on=("made",),
)


def looked(world: World, *there: str) -> World:
    """The scanner looks, and dispatches the item; `there`: where it was found."""
    return world.tell(
        f.BoardLooked(hat="scanner", topic="work.make", item="a.txt", folder="work", there=there)
    )


def board(**changes: object) -> World:
    return looked(World(policy(**({"team": BOARD} | changes))).base())


def notes_of(text: str) -> str:
    return text.partition("# Iteration ")[2].partition("## Scratchpad")[0]


def test_the_first_try_at_an_item_needs_no_note_and_later_ones_say_what_became_of_it() -> None:
    world = board(gates=())
    assert notes_of(prompt_of(world.state)) == "1 of 50\n\n"
    for number in (2, 3):
        world.iterate(f"t{number}", '<event topic="board.rescan">x</event>')
        looked(world, "work")
        said = f"- Try {number} of 3 at `a.txt`: last time it was still in `work` afterwards.\n"
        assert said in notes_of(prompt_of(world.state))


def test_a_failed_gate_and_later_hats_name_the_item_and_the_next_try_the_failure() -> None:
    world = board()
    world.iterate("t1", '<event topic="made">it is there</event>').gate(False)
    text = prompt_of(world.state)
    assert "# Your hat: maker" in text and "- `gate.failed`: tests: it fails" in text
    assert "- Under way: `a.txt` from `work`.\n" in notes_of(text)
    world.iterate("t2", '<event topic="board.rescan">x</event>')
    looked(world, "work")
    expected = "afterwards. Its last failure: tests: it fails.\n"
    assert expected in notes_of(prompt_of(world.state))


def test_an_item_that_is_through_is_named_no_more() -> None:
    world = board(gates=()).iterate("t1", '<event topic="board.rescan">x</event>')
    world.tell(f.BoardLooked(hat="scanner", topic="work.make", item="b.txt", folder="work", there=()))
    world.iterate("t2", '<event topic="made">a.txt</event>')
    world.tell(f.TransitionPassed(serial=2, tree="t2"))
    notes = notes_of(prompt_of(world.state))
    assert "`b.txt` from `work`" in notes and "a.txt" not in notes


def test_where_scratchpads_are_cleared_nobody_is_told_to_leave_a_persons_words_in_them() -> None:
    heard = f.Said(name="1", text="Use blue.", by="p")
    kept = "Later iterations are not told: write into the scratchpad what they must know of it."
    assert kept in prompt_of(World(policy(team=TEAM)).base().tell(heard).state)
    on_board = prompt_of(board().tell(heard).state)
    assert (
        'by `ralph tools memory add "..."`; the scratchpad is cleared.' in on_board and kept not in on_board
    )
    assert "what they must know; a hat that begins afresh finds it empty." in on_board
    none = prompt_of(board(memories=MemoryPolicy(enabled=False)).tell(heard).state)
    assert "into a file of the work; the scratchpad is cleared." in none
    own = replace(BOARD, hats=(*BOARD.hats[:1], replace(BOARD.hats[1], fresh=False), *BOARD.hats[2:]))
    assert kept in prompt_of(board(team=own).tell(heard).state)
