"""A report of a loop with hats: who each iteration was, because of what, what came of it, and what each item took."""

from __future__ import annotations

import msgspec
from core_world import hat, spike
from msgspec.structs import replace
from report_world import World, proven, summary

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.hats.model import Scan, ScanFolder, Team
from ralph.core.policy import LimitPolicy, Policy, Task
from ralph.history.serialise import loop_json

SCAN = Scan(folders=(ScanFolder("work", "work.propose"), ScanFolder("proposed", "work.finish")))
TEAM = replace(
    spike(enforce_scope=True),
    hats=(
        hat("board_scanner", "board.scan", "board.rescan", "task.resume", scan=SCAN),
        *spike().hats[1:],
    ),
)
EVIL = 'x"><script>alert(1)</script>|`\x1b[2J'


def start(world: World, team: Team = TEAM) -> None:
    world.loop, world.serial, world.n = "loop-1", 0, 0
    policy = Policy(agent=AgentPolicy(command=("agent",)), team=team, limits=LimitPolicy(max_iterations=100))
    task = Task(id="board", title="Work through the board")
    world.record(f.LoopStarted(loop="loop-1", task=task, policy=policy, root=str(world.repo.root)))
    world.record(f.WorkspacePrepared(tree=world.tree()))


def look(world: World, topic: str, item: str, folder: str, *there: str) -> None:
    world.record(
        f.BoardLooked(
            hat="board_scanner", topic=topic, item=item, folder=folder, there=there, tree=world.tree()
        )
    )


def work(world: World, hat: str, said: str, *, usd: float = 0.0) -> None:
    world.serial += 1
    world.n += 1
    tree = world.tree()
    serial, n = world.serial, world.n
    started = f.IterationStarted(
        serial=serial, n=n, prompt="", prompt_chars=1, tree=tree, hat=hat, hat_why="w", fresh=True
    )
    world.record(started)
    world.write("work.txt", f"{serial}\n")
    world.t += 60
    usage = f.Usage(tokens=1000 if usd else 0, cost_usd=usd)
    world.record(
        f.IterationEnded(
            serial=serial, n=n, how="exited", code=0, seconds=60.0, tree=world.tree(), said=said, usage=usage
        )
    )


def worked_through(world: World, item: str = "item-1.txt") -> None:
    start(world)
    look(world, "work.propose", item, "work")
    work(world, "proposal_writer", '<event topic="board.rescan">ok</event><event topic="deploy"/>', usd=0.5)
    look(world, "work.finish", item, "proposed", "proposed")
    work(world, "finisher", "done", usd=0.25)
    look(world, "work.propose", "bad.txt", "work")
    work(world, "proposal_writer", "", usd=1.0)
    world.record(f.ItemGivenUp(item="bad.txt", folder="work", to="failed", reason="it failed 3 times"))


def test_each_iteration_has_its_hat_its_event_and_what_it_said(world: World) -> None:
    worked_through(world)
    (one, first), (two, second), (three, third) = world.story().worn()
    assert (first.title, first.event) == ("Proposal Writer", "work.propose item-1.txt")
    assert one.started.fresh
    assert first.said == ("#3 board.rescan (ok) → board_scanner",)
    assert first.refused == ("deploy: refused: proposal_writer may not publish deploy; it may: board.rescan",)
    assert (two.started.hat, second.said) == ("finisher", ("#5 board.rescan → board_scanner",))
    assert (three.n, third.event) == (3, "work.propose bad.txt")


def test_the_items_have_what_they_took(world: World) -> None:
    worked_through(world)
    done, bad = world.story().state.hats.board.items.values()
    assert (done.name, done.done, done.dispatches, done.cost_usd, done.tokens) == (
        "item-1.txt",
        True,
        2,
        0.75,
        2000,
    )
    assert (bad.failed, bad.cost_usd, bad.reason) == (True, 1.0, "it failed 3 times")


def test_markdown_has_a_table_of_hats_and_one_of_items(world: World) -> None:
    worked_through(world)
    text = summary([world.story()])
    assert "| 2 | Finisher | work.finish item-1.txt | \\#5 board.rescan → board_scanner |" in text
    assert "| item-1.txt | through | 2 |  | 2 min 00 s | 2000 | 0.75 USD |  |" in text
    assert "| bad.txt | given up | 1 | 1 | 1 min 00 s | 1000 | 1.00 USD | it failed 3 times |" in text
    assert "no signal" not in text


def test_the_page_has_both_and_links_to_the_iterations(world: World) -> None:
    worked_through(world)
    page = world.page()
    assert "<h2>Hats and events</h2>" in page and "<h2>Board</h2>" in page
    row = page[page.index('<a href="#i2">2</a>') :].partition("</tr>")[0]
    assert "Finisher" in row and "notes cleared" in row and "work.finish item-1.txt" in row
    board = page[page.index("<h2>Board</h2>") :].partition("</section>")[0]
    assert "0.75 USD" in board and "it failed 3 times" in board


def test_hostile_items_and_payloads_stay_text(world: World) -> None:
    worked_through(world, EVIL)
    page, text = world.page(), summary([world.story()])
    assert "<script>" not in page and "\x1b" not in page
    assert "<script>" not in text and "\x1b" not in text
    for line in text.splitlines():
        if line.startswith("| ") and "script" in line:
            assert line.replace("\\|", "").count("|") in (5, 9), line


def test_a_loop_without_hats_has_no_such_sections(world: World) -> None:
    proven(world)
    story = world.story()
    assert not story.worn() and not story.state.hats.board.items
    assert "Hats and events" not in world.page() + summary([story])
    assert msgspec.json.encode(loop_json(story.loop, story.texts))
