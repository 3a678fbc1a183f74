"""Scenarios for the keys of hats, events, memories and todos; the form is that of scenarios.py.

The agent is told which hat it wears by RALPH_HAT. `a` is the first hat: keys of one hat are put there.
"""

from __future__ import annotations

from typing import Any

from project import Project
from scenarios import (
    DONE,
    SAY_DONE,
    SCRIPTED_STUCK,
    SCRIPTED_WORK,
    SPEND,
    STUCK,
    WRITE_DOWN,
    Config,
    Done,
    Scenario,
    code,
    of,
    prompted,
    seen,
    sh,
)

worn = of("iteration.started", "hat")


def there(path: str) -> Any:
    def see(project: Project, done: Done) -> bool:
        return (project.path / path).exists()

    return see


def hats(iterations: int = 1, loop: Config | None = None, **named: Config) -> Config:
    return {"hats": named, "event_loop": {"max_iterations": iterations, **(loop or {})}}


def hat(*triggers: str, **keys: Any) -> Config:
    return {"triggers": list(triggers), "publishes": ["LOOP_COMPLETE"], **keys}


def by_hat(**does: str) -> str:
    """What the agent does under each hat; without one it says that it is done."""
    cases = "".join(f"{name}) {line};; " for name, line in does.items())
    return f'case "$RALPH_HAT" in {cases}*) {DONE};; esac'


START = "task.start"
ONE = hats(a=hat(START))
OWN = hats(a=hat(START, backend={"command": "./own.sh"}))
STEP = "echo $RALPH_ITERATION > step"
PAIR = {"a": hat(START, publishes=["a.done"]), "b": hat("a.done")}
AGAIN = hats(2, a=hat(START, "again", publishes=["again"]))
SCAN: Config = {"a": hat(START, "rescan", scan={"folders": {"work": "item.found"}}), "b": hat("item.found")}
SCANNED = {"work/one": "1\n"}
STAYS = hats(4, a=SCAN["a"], b=hat("item.found", publishes=["rescan"], default_publishes="rescan"))
MEMORY = 'ralph tools memory add "the wall is blue" -t fix'
BLUE = prompted("the wall is blue")

HATS: dict[str, Scenario] = {
    "hats": Scenario({"a": hat(START)}, worn, ["a"], [""]),
    "hats.<name>.name": Scenario("Painter", prompted("Painter"), True, False, given=ONE),
    "hats.<name>.description": Scenario(
        *("Paints it blue", prompted("Paints it blue"), True, False),
        given=hats(loop={"starting_event": "nobody.takes"}, a=hat("x")),
    ),
    "hats.<name>.triggers": Scenario([START], worn, ["a"], [""], given=hats(a=hat()), instead=["other"]),
    "hats.<name>.publishes": Scenario(
        ["LOOP_COMPLETE"], code, 0, 8, given=hats(a=hat(START)), instead=["a.done"]
    ),
    "hats.<name>.instructions": Scenario("Paint it blue", prompted("Paint it blue"), True, False, given=ONE),
    "hats.<name>.extra_instructions": Scenario(
        ["Paint it blue"], prompted("Paint it blue"), True, False, given=ONE
    ),
    "hats.<name>.default_publishes": Scenario(
        *("a.done", worn, ["a", "b"], ["a", ""], by_hat(a=STEP, b=STEP)), given=hats(2, **PAIR)
    ),
    "hats.<name>.max_activations": Scenario(
        *(1, worn, ["a", ""], ["a", "a"], by_hat(a=f"{STEP}; ralph emit again")), given=AGAIN
    ),
    "hats.<name>.when": Scenario(
        *("iterations >= 1", worn, ["b", "a"], ["b", "b"], by_hat(b=f"{STEP}; ralph emit again", a=STEP)),
        given=hats(2, a={"publishes": []}, b=hat(START, "again", publishes=["again"])),
    ),
    "hats.<name>.fresh": Scenario(True, of("iteration.started", "fresh", False), [True], [False], given=ONE),
    "hats.<name>.backend.type": Scenario(
        *("scripted", code, 0, 4, STUCK),
        given=hats(a=hat(START, backend={"command": "./own.sh", "script": "steps.yml"})),
        files={"own.sh": sh(STUCK), "steps.yml": SCRIPTED_WORK},
    ),
    "hats.<name>.backend.command": Scenario(
        *("./own.sh", code, 0, 4, STUCK), given=ONE, files={"own.sh": sh(DONE)}
    ),
    "hats.<name>.backend.args": Scenario(
        *(["--fast"], seen, "2\n", "1\n"), given=OWN, files={"own.sh": sh(f"echo $# > $HOME/seen; {DONE}")}
    ),
    "hats.<name>.backend.agent": Scenario(
        *("painter", seen, "--agent painter\n", "\n"),
        given=hats(a=hat(START, backend={"type": "kiro", "command": "./own.sh"})),
        files={
            "own.sh": sh(
                'while [ $# -gt 0 ]; do [ "$1" = --agent ] && found="$1 $2"; shift; done; '
                f'echo "$found" > $HOME/seen; {DONE}'
            )
        },
    ),
    "hats.<name>.backend.prompt_mode": Scenario(
        *("stdin", seen, "0\n", "1\n"), given=OWN, files={"own.sh": sh(f"echo $# > $HOME/seen; {DONE}")}
    ),
    "hats.<name>.backend.prompt_flag": Scenario(
        *("--say", seen, "2\n", "1\n"), given=OWN, files={"own.sh": sh(f"echo $# > $HOME/seen; {DONE}")}
    ),
    "hats.<name>.backend.output": Scenario(
        *(
            "jsonl",
            of("iteration.ended", "usage", {}, 0),
            {"tokens": 1500, "cost_usd": 2.5, "split": {"input": 900, "output": 600}},
            {},
        ),
        given=OWN,
        files={"own.sh": sh(f"{SPEND}; {SAY_DONE}")},
    ),
    "hats.<name>.backend.env": Scenario(
        *({"COLOUR": "blue"}, seen, "blue\n", "\n"),
        given=OWN,
        files={"own.sh": sh(f'echo "$COLOUR" > $HOME/seen; {DONE}')},
    ),
    "hats.<name>.backend.script": Scenario(
        *("steps.yml", code, 0, 4, STUCK),
        given=hats(a=hat(START, backend={"type": "scripted"})),
        instead="other.yml",
        files={"steps.yml": SCRIPTED_WORK, "other.yml": SCRIPTED_STUCK},
    ),
    "hats.<name>.backend_args": Scenario(["--fast"], seen, "--fast\n", "\n", WRITE_DOWN, given=ONE),
    "hats.<name>.model": Scenario(
        *("small", seen, "--model small\n", "\n"),
        'while [ $# -gt 0 ]; do [ "$1" = --model ] && found="$1 $2"; shift; done; echo "$found" > $HOME/seen; '
        + DONE,
        given={"cli": {"backend": "copilot"}, **ONE},
    ),
    "hats.<name>.disallowed_tools": Scenario(["Paintbrush"], prompted("Paintbrush"), True, False, given=ONE),
    "hats.<name>.allowed_tools": Scenario(
        *(["Read"], seen, "--tools Read\n", "\n"),
        'while [ $# -gt 0 ]; do [ "$1" = --tools ] && found="$1 $2"; shift; done; echo "$found" > $HOME/seen',
        given={"cli": {"backend": "claude"}, **ONE},
    ),
    "hats.<name>.timeout": Scenario(
        0.3, of("iteration.ended", "cause"), ["iteration-time"], [""], "sleep 8", given=ONE
    ),
    "hats.<name>.scratchpad": Scenario(
        *("notes/a.md", prompted("remember blue", 1), True, False),
        by_hat(a="mkdir -p notes; echo remember blue > notes/a.md; ralph emit again"),
        given=AGAIN,
    ),
    "hats.<name>.aggregate.mode": Scenario(
        *("wait_for_all", worn, ["b", "a", ""], ["b", "a", "a"]),
        by_hat(b=f"{STEP}; ralph emit one; ralph emit two", a=STEP),
        given=hats(3, a=hat("one", "two", publishes=[]), b=hat(START, publishes=["one", "two"])),
    ),
    "hats.<name>.scan.folders": Scenario(
        *({"work": "item.found"}, worn, ["b"], [""], by_hat(b=f"rm work/one; {DONE}")),
        given=hats(1, a=hat(START, scan={}), b=hat("item.found")),
        instead={"todo": "item.found"},
        files=SCANNED,
    ),
    "hats.<name>.scan.backlog": Scenario(
        *({"plan.jsonl": "item.found"}, worn, ["b"], [""]),
        given=hats(1, **SCAN),
        files={"plan.jsonl": '{"id": "T-1", "title": "First", "leaf": true}\n'},
    ),
    "hats.<name>.scan.failed": Scenario(
        *("given-up", there("given-up/one"), True, False, STEP), given=STAYS, files=SCANNED
    ),
    "hats.<name>.scan.log": Scenario(
        "polls.txt", there("polls.txt"), True, False, given=hats(1, **SCAN), files=SCANNED
    ),
    "events": Scenario(
        *({START: {"on_trigger": "Paint it blue"}}, prompted("Paint it blue"), True, False), given=ONE
    ),
    "events.<name>.description": Scenario(
        "Paint it blue", prompted("Paint it blue"), True, False, given={**ONE, "events": {START: {}}}
    ),
    "events.<name>.on_trigger": Scenario(
        "Paint it blue", prompted("Paint it blue"), True, False, given={**ONE, "events": {START: {}}}
    ),
    "events.<name>.on_publish": Scenario(
        *("Paint it blue", prompted("Paint it blue"), True, False),
        given={**hats(a=hat(START, publishes=["a.done"])), "events": {"a.done": {}}},
    ),
    "event_loop.starting_event": Scenario(
        "other", worn, ["b"], ["a"], given=hats(a=hat(START), b=hat("other"))
    ),
    "event_loop.persistent": Scenario(True, code, 8, 0, given=hats(2, a=hat(START, "task.resume"))),
    "event_loop.required_events": Scenario(["review.done"], code, 8, 0, given=hats(1, a=hat(START))),
    "event_loop.cancellation_promise": Scenario(
        *("loop.cancel", code, 13, 8, "ralph emit loop.cancel"),
        given=hats(a=hat(START, publishes=["loop.cancel"])),
    ),
    "event_loop.enforce_hat_scope": Scenario(
        *(True, worn, ["a", ""], ["a", "b"], by_hat(a=f"{STEP}; ralph emit b.go; true", b=STEP)),
        given=hats(2, a=hat(START, publishes=["a.done"]), b=hat("b.go")),
    ),
    "event_loop.cooldown_delay_seconds": Scenario(
        *(1.2, of("wait.started", "seconds", which=0), 1.2, 1.0),
        given=hats(2, {"persistent": True}, a=hat(START, "task.resume")),
    ),
    "event_loop.cooldown": Scenario(
        *("always", of("wait.started", "seconds"), [0.2], [], by_hat(a=f"{STEP}; ralph emit a.done", b=DONE)),
        given=hats(2, {"cooldown_delay_seconds": 0.2}, **PAIR),
    ),
    "event_loop.gate_on": Scenario(
        *(["a.done"], worn, ["a", "a"], ["a", "b"], by_hat(a=f"{STEP}; ralph emit a.done", b=STEP)),
        given=hats(2, **PAIR),
    ),
    "memories.enabled": Scenario(False, BLUE, False, True, first=MEMORY),
    "memories.inject": Scenario("none", BLUE, False, True, first=MEMORY),
    "memories.budget": Scenario(1, BLUE, False, True, first=MEMORY),
    "tasks.enabled": Scenario(
        False, prompted("paint the wall"), False, True, first='ralph tools task add "paint the wall"'
    ),
    "core.specs_dir": Scenario("./blueprints/", prompted("blueprints/"), True, False),
}
