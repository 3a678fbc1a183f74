"""Prompts under hats: instructions, events and what may be emitted; how to complete only where no hat is on."""

from __future__ import annotations

from msgspec.structs import replace

from ralph.core.decide import RunAgent, decide
from ralph.core.facts import IterationEnded, IterationStarted, LoopStarted, WorkspacePrepared
from ralph.core.fold import fold
from ralph.core.hats import Hat, Meaning, Team
from ralph.core.policy import AgentPolicy, MemoryPolicy, Policy, Task
from ralph.core.state import LoopState
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
    started = IterationStarted(serial=op.serial, n=op.n, prompt="p", prompt_chars=1, tree=s.tree, hat=op.hat)
    ended = IterationEnded(
        serial=op.serial, n=op.n, how="exited", code=0, seconds=1.0, tree=tree, said=said, structured=True
    )
    return fold(fold(s, started), ended)


def prompt_of(s: LoopState, context: Context | None = None) -> str:
    (op,) = decide(s)
    assert isinstance(op, RunAgent)
    return compose(replace(s, hat=op.hat), op, context or Context()).text


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
    assert "# You coordinate" in text and "`TASK_COMPLETE`" in text
    assert "no hat takes build.stuck" in text
    assert "- Builder: Builds. Takes `task.start`, `review.failed`." in text
    assert "`unknown.topic` from the iteration before was refused: builder may not publish" in text


def test_what_ralph_says_under_a_hat_is_short_and_the_part_before_the_hat_never_changes() -> None:
    s = begin(memories=MemoryPolicy())
    (op,) = decide(s)
    assert isinstance(op, RunAgent)
    first = compose(replace(s, hat=op.hat), op, Context())
    assert first.own_chars <= OWN_CHARS, first.own_chars
    second = prompt_of(run(s, '<event topic="build.done">x</event>'))
    head = first.text.partition("# Your hat")[0]
    assert second.startswith(head) and "Make it work" in head


def test_memories_and_todos_come_after_the_scratchpad() -> None:
    context = Context(
        scratchpad="# Phase: x", memories="# Memories\n> use uv", todos="<ready-tasks>\n</ready-tasks>"
    )
    text = prompt_of(begin(), context)
    assert text.index("# Phase: x") < text.index("# Memories") < text.index("<ready-tasks>")
    assert "ralph tools memory add" in text
    assert "ralph tools memory add" not in prompt_of(begin(memories=MemoryPolicy(enabled=False)))
