"""The recorded scenarios: what is in the project, what the agent does, and what a person does with it.

Names of gates, hats and tasks are words that no sentence has by chance: views are compared by them.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
from golden_world import INTERRUPT, KILL, WAIT, Step, World, fact, mark, run, shell, start

Config = dict[str, Any]


class Scenario(msgspec.Struct, frozen=True):
    steps: tuple[Step, ...] = (run("run"),)
    agent: str = "echo 42 > answer; echo TASK_COMPLETE"  # shell; $PROMPT is what it is told
    config: Config = {}  # merged into BASE; None removes
    files: dict[str, str] = {}
    tasks: tuple[Config, ...] = ()  # of a backlog, in place of PROMPT.md
    parallel: bool = False
    resume: tuple[Step, ...] = ()  # what goes on from the recorded project, in the tests of reading
    resumes: int = 0  # and the exit code of that

    @property
    def ordered(self) -> bool:
        """Whether what is shown comes in one order: a backlog's file is written beside the work."""
        return not self.tasks


BASE: Config = {
    "cli": {"command": "./agent.sh"},
    "gates": [{"name": "gate-answer", "run": "sh test.sh"}],
    "event_loop": {"max_iterations": 8, "crash_wait": 0, "stop_grace": 1},
}

DONE = "echo 42 > answer; echo TASK_COMPLETE"
LIE = "echo $RALPH_ITERATION > answer; echo TASK_COMPLETE"
WORK = "echo $RALPH_ITERATION > step; echo ITERATION_DONE"
HELD = "touch $HOME/up$RALPH_ITERATION; until [ -e $HOME/go$RALPH_ITERATION ]; do sleep 0.02; done"
TWICE = f"{HELD}; [ $RALPH_ITERATION = 1 ] && {{ echo 1 > answer; echo ITERATION_DONE; exit 0; }}; {DONE}"
HANGS = f"touch $HOME/up; [ -e $HOME/go ] || sleep 600; {DONE}"
HEARD = "until grep -q stop.requested .git/ralph/journal.jsonl; do sleep 0.02; done"
TOLD = "until grep -q '\"notified\"' .git/ralph/journal.jsonl; do sleep 0.02; done"  # the first of two
GO = shell("touch $HOME/go")
RESUME = (run("resume"),)
GOES_ON = (GO, run("resume"))
JSONL: Config = {"cli": {"output": "jsonl"}}
SAY_DONE = """echo '{"type":"message","role":"assistant","text":"TASK_COMPLETE"}'"""
USAGE = '{"type":"usage","input_tokens":900,"output_tokens":600,"cost_usd":2.5}'
ONCE = "[ -e $HOME/asked ] || { touch $HOME/asked; %s; }\n"
QUOTA = '{"type":"error","kind":"quota","text":"limit reached","retry_after":%s}'
ASKS = (
    "if [ $RALPH_ITERATION = 1 ]; then ralph emit human.interact 'Which database?'; echo 1 > answer; "
    f"echo ITERATION_DONE; else {DONE}; fi"
)


def sh(body: str) -> str:
    return f"#!/bin/sh\n{body}\n"


def script(*iterations: list[Config]) -> str:
    return json.dumps({"iterations": list(iterations)})


def hats(loop: Config | None = None, **named: Config) -> Config:
    return {"hats": {f"hat-{name}": hat for name, hat in named.items()}, "event_loop": loop or {}}


def hat(*triggers: str, **keys: Any) -> Config:
    return {"triggers": list(triggers), "publishes": ["LOOP_COMPLETE"], **keys}


def by_hat(**does: str) -> str:
    cases = "".join(f"hat-{name}) {line};; " for name, line in does.items())
    return f'case "$RALPH_HAT" in {cases}*) {DONE};; esac'


# -- a backlog: every task writes a file of its own, and none may hold "bad"

GOOD = 'mkdir -p parts; echo "good $RALPH_TASK" > "parts/$RALPH_TASK"; echo Did it.; echo TASK_COMPLETE'
GATE = 'if grep -rqs bad parts; then echo "FAILED: a bad part"; exit 1; fi\n'
BAD_FOR = (
    'mkdir -p parts; w=good; [ "$RALPH_TASK" = %s ] && w=bad; echo "$w" > "parts/$RALPH_TASK"; '
    "echo TASK_COMPLETE"
)
Q = """\
mkdir -p parts
case "$RALPH_TASK-$RALPH_ITERATION" in
  task-q-1) echo draft > parts/q; ralph emit human.interact "Which colour?"; echo ITERATION_DONE ;;
  *) echo good >> "parts/$RALPH_TASK"; echo TASK_COMPLETE ;;
esac
"""
# The second and the third claim only when the one before has landed: what they are merged with is always the same.
MAIN = '"$HOME/../project"'
IN_TURN = (
    "mkdir -p parts; {work}; n=0; case $RALPH_TASK in task-a) w=;; task-b) w=task-a;; *) w=task-b;; esac; "
    f'until [ -z "$w" ] || git -C {MAIN} log --format=%s main | grep -q "\\[$w\\]"; do sleep 0.05; done; '
    "echo TASK_COMPLETE"
)


def task(name: str, **more: Any) -> Config:
    return {"id": f"task-{name}", "title": f"Part {name.upper()}", "leaf": True, **more}


AB = (task("a"), task("b"))
ABC = (*AB, task("c"))
LIST: Config = {"event_loop": {"max_iterations": 6, "max_attempts": 2}}


def backlog(
    *words: str,
    agent: str = GOOD,
    config: Config | None = None,
    files: dict[str, str] | None = None,
    tasks: tuple[Config, ...] = AB,
    **more: Any,
) -> Scenario:
    return Scenario(
        steps=more.pop("steps", (run("run", *words),)),
        agent=agent,
        config=LIST | (config or {}),
        files={"test.sh": GATE, **(files or {})},
        tasks=tasks,
        **more,
    )


def merged(config: Config, more: Config) -> Config:
    found = dict(config)
    for name, value in more.items():
        if value is None:
            found.pop(name, None)
        elif isinstance(value, dict):
            found[name] = merged(found.get(name, {}), value)
        else:
            found[name] = value
    return found


# -- boards

BOARD: Config = {
    "cli": {"backend": "scripted", "command": None, "script": "steps.yml"},
    "gates": "none",
    "event_loop": {
        "prompt": "Work through the board.",
        "starting_event": "board.scan",
        "persistent": True,
        "enforce_hat_scope": True,
        "cooldown_delay_seconds": 0.1,
        "max_iterations": 20,
    },
    "hats": {
        "hat-scan": {
            "triggers": ["board.scan", "board.rescan", "item.done", "task.resume"],
            "scan": {"folders": {"work": "work.propose", "proposed": "work.finish"}},
        },
        "hat-propose": {
            "triggers": ["work.propose"],
            "publishes": ["board.rescan"],
            "default_publishes": "board.rescan",
        },
        "hat-finish": {
            "triggers": ["work.finish"],
            "publishes": ["item.done", "board.rescan"],
            "default_publishes": "item.done",
        },
    },
}
PROPOSE = 'case "$(ls work | head -n 1)" in bad*) ;; *) mkdir -p proposed; mv "work/$(ls work | head -n 1)" proposed/ ;; esac'
FINISH = 'mkdir -p done; mv "proposed/$(ls proposed | head -n 1)" done/'
BOARD_STEPS = json.dumps({"hats": {"hat-propose": [{"run": PROPOSE}], "hat-finish": [{"run": FINISH}]}})
SCAN_LIST = """\
id=$(printf "%s\\n" "$PROMPT" | sed -n 's/^- `task.ready`: \\([^:]*\\):.*/\\1/p')
[ "$id" = task-b ] && exit 0
sed -i "/\\"id\\": *\\"$id\\"/s/pending/complete/" tasks.jsonl
"""
ROLES = """\
triggers:
- {condition: "branch_commits >= 2", role: role-review}
- {condition: "last_iteration_failed", role: role-debug}
- {condition: "task_marked_ready_to_complete", role: role-review}
"""
ROLE_WORK = """\
commit() { echo "$1" >> "$2"; git add -A; git -c user.name=a -c user.email=a@localhost commit -qm "$1"; }
case $RALPH_ITERATION in
1) commit 1 work; commit 2 work; echo ITERATION_DONE ;;
2) echo ITERATION_DONE ;;
3) echo 41 > answer; echo TASK_COMPLETE ;;
4) echo 42 > answer; echo ITERATION_DONE ;;
*) echo TASK_COMPLETE ;;
esac
"""
TALK = """\
import json, os, subprocess, sys
server = subprocess.Popen(["ralph", "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def ask(method, **params):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())["result"]
ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "agent", "version": "1"})
for name, arguments in json.loads(sys.argv[1]):
    if arguments.get("taskId") == "mine":
        arguments["taskId"] = os.environ["RALPH_TASK"]
    ask("tools/call", name=name, arguments=arguments)
server.stdin.close()
sys.exit(server.wait())
"""


def calls(*wanted: tuple[str, Config]) -> str:
    return f"python3 talk.py '{json.dumps(wanted)}'"


PAD = {"done": "looked", "testStatus": "red", "nextStep": "write the answer", "blockers": "none"}
CLAIM = {"taskId": "mine", "summary": "wrote the answer", "promiseEvidence": "sh test.sh: exit code 0"}
REVIEWED: Config = {
    "gates": [
        {"name": "gate-answer", "run": "sh test.sh"},
        {"name": "gate-review", "review": "spec", "agent": {"backend": "scripted", "script": "review.yml"}},
    ]
}
# What a runner of tests would print, without its seconds and its version.
UNIT: Config = {"gates": [{"name": "gate-unit", "run": "sh unit.sh test_it.py"}]}
UNIT_FILES = {
    "it.py": "def add(a, b):\n    return 0\n",
    "test_it.py": "import unittest, it\nclass T(unittest.TestCase):\n"
    "  def test_one(self): self.assertEqual(it.add(1, 1), 2)\n"
    "  def test_two(self): self.assertEqual(it.add(2, 2), 4)\n",
    "unit.sh": "n=$(grep -c 'def test' $1)\n"
    "if grep -q assertEqual $1 && grep -q 'return 0' it.py; then\n"
    'echo "FAIL: test_one"; echo "AssertionError: 0 != 2"; echo; echo "Ran $n tests in 0.000s"; echo; '
    'echo "FAILED (failures=2)"; exit 1\nfi\necho "Ran $n tests in 0.000s"; echo; echo OK\n',
}
CHEAT = "echo exit 0 > test.sh; echo TASK_COMPLETE"
AT_END: Config = {
    "at_end": [
        {"name": name, "review": "spec", "agent": {"backend": "scripted", "script": f"{name}.yml"}}
        for name in ("end-spec", "end-fit")
    ]
}
AT_END_FILES = {
    "end-spec.yml": script([{"say": "PASS"}]),
    "end-fit.yml": script([{"say": "- parts/task-a: too short\nFAIL"}]),
}

SCENARIOS: dict[str, Scenario] = {
    # -- one prompt, in place
    "prompt-verified": Scenario(),
    "prompt-turned-down": Scenario(
        agent='echo "by $RALPH_ITERATION" > "$RALPH_SCRATCHPAD"; echo $((40 + RALPH_ITERATION)) > answer; echo TASK_COMPLETE'
    ),
    "prompt-verbose-criteria": Scenario(
        steps=(
            run("run", "-v", "-p", "Paint it blue", "--criteria", "It is blue", "--task-id", "task-blue"),
        ),
        agent="echo Painting; echo more >&2; " + DONE,
        config={"core": {"guardrails": ["Paint carefully"], "specs_dir": "./blueprints/"}},
    ),
    "unverified": Scenario(config={"gates": None}),
    "gates-declined": Scenario(config={"gates": "none"}),
    "no-change-refused": Scenario(
        agent="[ $RALPH_ITERATION = 1 ] && echo TASK_COMPLETE || { echo 42 > answer; echo TASK_COMPLETE; }"
    ),
    "dirty-in-place": Scenario(steps=(shell("echo mine > notes"), run("run"), run("run", "--in-place"))),
    # -- gates
    "soft-gates": Scenario(
        config={
            "gates": [
                {"name": "gate-answer", "run": "sh test.sh"},
                {"name": "gate-style", "run": "echo 'style: 3 warnings'; exit 1", "hard": False},
            ]
        }
    ),
    "flaky-gate": Scenario(
        files={"test.sh": "echo x >> $HOME/count; test $(wc -l < $HOME/count) -gt 2\n"},
    ),
    "gate-every-iteration": Scenario(
        agent="echo $((40 + RALPH_ITERATION)) > answer; [ $RALPH_ITERATION = 2 ] && echo TASK_COMPLETE || echo ITERATION_DONE",
        config={"gates": [{"name": "gate-answer", "run": "sh test.sh", "every": "iteration"}]},
    ),
    "gate-hermetic": Scenario(
        config={
            "gates": [
                {
                    "name": "gate-answer",
                    "run": "test -e ready -a ! -e .git && sh test.sh",
                    "hermetic": True,
                    "setup": "touch ready",
                }
            ]
        }
    ),
    "gate-times-out": Scenario(
        config={
            "gates": [{"name": "gate-answer", "run": "test ! -e answer || sleep 600", "hard_timeout": 3}],
            "event_loop": {"max_attempts": 1},
        }
    ),
    "exit-zero-claims": Scenario(
        agent="echo $((40 + RALPH_ITERATION)) > answer", config={"event_loop": {"claim": "exit-zero"}}
    ),
    "test-counts": Scenario(
        config=UNIT,
        agent='printf "def add(a, b):\\n    return a + b\\n" > it.py; echo TASK_COMPLETE',
        files=UNIT_FILES,
    ),
    "protected-files": Scenario(
        config={"protect": ["expected"]},
        files={"expected": "1\n"},
        agent=f"echo x > expected; {DONE}",
    ),
    "needs-review": Scenario(agent=CHEAT, resume=(run("resume", "--allow", "test.sh"),), resumes=0),
    "needs-review-allowed": Scenario(agent=CHEAT, steps=(run("run"), run("resume", "--allow", "test.sh"))),
    "weakened-test": Scenario(
        config=UNIT,
        agent='printf "import unittest\\nclass T(unittest.TestCase):\\n'
        '  def test_one(self): pass\\n" > test_it.py; echo TASK_COMPLETE',
        files=UNIT_FILES,
    ),
    # -- reviewers
    "reviewer-fails-then-passes": Scenario(
        config=REVIEWED,
        agent="echo $RALPH_ITERATION > step; " + DONE,
        files={"review.yml": script([{"say": "- step: say more\nFAIL"}], [{"say": "PASS"}])},
    ),
    # -- limits and being stuck
    "attempts-used-up": Scenario(
        agent=LIE,
        config={"event_loop": {"max_attempts": 2}},
        resume=(shell("echo 42 > answer"), run("resume", "--max-attempts", "3")),
        resumes=3,
    ),
    "stuck-said": Scenario(
        agent=f"[ -e $HOME/go ] || {{ echo TASK_STUCK: no database here; exit; }}; {DONE}",
        resume=(GO, run("resume", "--answer", "Use SQLite")),
    ),
    "stuck-same-error": Scenario(agent=LIE, config={"event_loop": {"max_attempts": 9}}),
    "stuck-no-progress": Scenario(agent="echo ITERATION_DONE"),
    "limit-iterations": Scenario(
        agent=f"[ $RALPH_ITERATION = 3 ] && {{ {DONE}; exit; }}; {WORK}",
        config={"event_loop": {"max_iterations": 2}},
        resume=(run("resume", "--max-iterations", "3"),),
    ),
    "limit-raised": Scenario(
        agent=f"[ $RALPH_ITERATION = 3 ] && {{ {DONE}; exit; }}; {WORK}",
        steps=(run("run", "--max-iterations", "2"), run("resume"), run("resume", "--max-iterations", "3")),
    ),
    "limit-time": Scenario(
        agent="echo 1 > step; sleep 600", config={"event_loop": {"max_runtime_seconds": 3}}
    ),
    "limit-cost": Scenario(
        agent=f"echo $RALPH_ITERATION > step; echo '{USAGE}'; [ $RALPH_ITERATION = 1 ] || sleep 600",
        config=merged(JSONL, {"event_loop": {"max_cost_usd": 4}}),
    ),
    "iteration-time": Scenario(
        agent=f"[ $RALPH_ITERATION = 1 ] && {{ echo 1 > step; sleep 600; }}; {DONE}",
        config={"event_loop": {"iteration_timeout": 3}},
    ),
    # -- agents that fail
    "agent-crashes-once": Scenario(agent=ONCE % "echo no >&2; exit 9" + DONE),
    "agent-unusable": Scenario(
        agent="[ -e $HOME/go ] || { echo no such model >&2; exit 3; }; " + DONE,
        config={"event_loop": {"max_consecutive_failures": 2}},
        resume=GOES_ON,
    ),
    "agent-credentials": Scenario(
        agent="""echo '{"type":"error","kind":"credentials","text":"401: the key is not valid"}'; exit 1""",
        config=JSONL,
    ),
    "quota-wait": Scenario(
        agent=ONCE % f"echo '{QUOTA % 1}'; exit 1" + f"echo 42 > answer; {SAY_DONE}", config=JSONL
    ),
    "quota-parked": Scenario(
        agent=f"[ -e $HOME/go ] || {{ echo '{QUOTA % 7200}'; exit 1; }}; echo 42 > answer; {SAY_DONE}",
        config=merged(JSONL, {"event_loop": {"max_wait": 60}}),
    ),
    "fallback": Scenario(
        agent=f"echo '{QUOTA % 7200}'; exit 1",
        config=merged(JSONL, {"fallback": ["./other.sh"]}),
        files={"other.sh": sh("cat > /dev/null; " + DONE)},
    ),
    # -- people
    "question-blocks": Scenario(agent=ASKS, resume=(run("resume", "--answer", "PostgreSQL"),)),
    "question-answered": Scenario(agent=ASKS, steps=(run("run"), run("resume"), run("answer", "PostgreSQL"))),
    "question-default": Scenario(
        agent="[ $RALPH_ITERATION = 1 ] && { ralph emit human.interact --json "
        '\'{"question": "Which port?", "default": "8080", "deadline_seconds": 1}\'; echo ITERATION_DONE; exit; }; '
        + DONE,
    ),
    "question-live": Scenario(
        agent="[ $RALPH_ITERATION = 1 ] && { ralph emit human.interact 'Which port?'; echo ITERATION_DONE; exit; }; "
        + DONE,
        config={"event_loop": {"human_timeout_seconds": 600}},
        steps=(start("run"), fact("wait.started"), run("answer", "8081"), WAIT),
    ),
    "said": Scenario(
        agent=TWICE,
        steps=(
            start("run"),
            mark("up1"),
            run("say", "The server is back"),
            shell("touch $HOME/go1 $HOME/go2"),
            WAIT,
        ),
    ),
    "paused": Scenario(
        agent=TWICE,
        steps=(
            *(
                start("run"),
                mark("up1"),
                run("pause"),
                shell("touch $HOME/go1 $HOME/go2"),
                fact("wait.started"),
            ),
            *(run("continue"), WAIT),
        ),
    ),
    "stopped": Scenario(
        agent=TWICE,
        steps=(
            start("run"),
            mark("up1"),
            run("stop"),
            fact("stop.requested"),
            shell("touch $HOME/go1 $HOME/go2"),
            WAIT,
        ),
        resume=RESUME,
    ),
    "stop-file": Scenario(
        agent=f"[ $RALPH_ITERATION = 1 ] && {{ touch .stop; {HEARD}; {WORK}; exit; }}; {DONE}",
        resume=RESUME,
    ),
    "cancelled": Scenario(agent=HANGS, steps=(start("run"), mark("up"), run("cancel"), WAIT)),
    "interrupted": Scenario(agent=HANGS, steps=(start("run"), mark("up"), INTERRUPT), resume=GOES_ON),
    # -- deaths
    "killed": Scenario(agent=HANGS, steps=(start("run"), mark("up"), KILL), resume=GOES_ON),
    "killed-and-resumed": Scenario(agent=HANGS, steps=(start("run"), mark("up"), KILL, GO, run("resume"))),
    "killed-in-a-gate": Scenario(
        files={"test.sh": "[ ! -e answer ] && exit 1; touch $HOME/up; [ -e $HOME/go ] || sleep 600\n"},
        steps=(start("run"), mark("up"), KILL),
        resume=GOES_ON,
    ),
    "killed-and-set-aside": Scenario(
        agent=HANGS, steps=(start("run"), mark("up"), KILL, GO, run("run", "--fresh", "--in-place"))
    ),
    "edited-while-dead": Scenario(
        files={"test.sh": "[ ! -e answer ] && exit 1; touch $HOME/up; [ -e $HOME/go ] || sleep 600\n"},
        steps=(start("run"), mark("up"), KILL, shell("echo mine > notes"), GO, run("resume")),
    ),
    "rotated": Scenario(
        steps=(
            run("run"),
            shell("mv .git/ralph/journal.jsonl .git/ralph/journal-000000001.jsonl; rm answer"),
            run("run", "--fresh", "--in-place"),
        )
    ),
    # -- notes of agents
    "memories-and-todos": Scenario(
        agent="ralph tools memory add 'answers are numbers'; ralph tools task add 'look again'; "
        "echo $((40 + RALPH_ITERATION)) > answer; echo TASK_COMPLETE",
    ),
    "tools-claim": Scenario(
        agent=f"if [ $RALPH_ITERATION = 1 ]; then {calls(('write_scratchpad', PAD), ('add_memory', {'content': 'it is 42'}))}; "
        f"echo ITERATION_DONE; else echo 42 > answer; "
        f"{calls(('ralph-complete', {**CLAIM, 'artifactPaths': ['answer']}))}; echo Done.; fi",
        files={"talk.py": TALK},
    ),
    "proposals": Scenario(
        agent="echo 42 > answer; "
        + calls(
            ("emit_event", {"topic": "build.done", "payload": "green"}),
            ("add_task", {"title": "Fix the docs", "criteria": ["no dead links"]}),
            ("split_task", {"taskId": "mine", "tasks": [{"title": "One"}, {"title": "Two"}]}),
        )
        + "; echo TASK_COMPLETE",
        files={"talk.py": TALK},
    ),
    "context-full": Scenario(
        agent="if [ $RALPH_ITERATION = 1 ]; then echo x > part; "
        """echo '{"hook_event_name": "PreCompact", "trigger": "auto"}' | ralph hook pre-compact; sleep 600; fi; """
        + DONE,
        config={"event_loop": {"wrap_up_seconds": 0.2}},
    ),
    "checkpoint": Scenario(agent=f"echo 1 > step; ralph checkpoint; {DONE}"),
    "notified": Scenario(
        config={"notify": [{"run": "cat > $HOME/told"}, {"run": f"{TOLD}; echo no; exit 3"}]}
    ),
    # -- hats
    "hats-in-turn": Scenario(
        config=hats(build=hat("task.start", publishes=["build.done"]), check=hat("build.done")),
        agent=by_hat(build="echo 1 > step; ralph emit build.done 'step 1 is there'", check=DONE),
    ),
    "hats-no-route": Scenario(
        config=hats(build=hat("task.start", publishes=["build.done"])),
        agent="echo $RALPH_ITERATION > step",
    ),
    "hats-gated-event": Scenario(
        config=hats(
            {"gate_on": ["build.done"], "max_iterations": 4},
            build=hat("task.start", publishes=["build.done"]),
            check=hat("build.done"),
        ),
        agent=by_hat(
            build="echo $((40 + RALPH_ITERATION)) > answer; ralph emit build.done",
            check="echo fine > note; echo TASK_COMPLETE",
        ),
    ),
    "hats-wait-for-all": Scenario(
        config=hats(
            {"max_iterations": 4},
            join=hat("one.done", "two.done", aggregate={"mode": "wait_for_all"}),
            build=hat("task.start", publishes=["one.done", "two.done"]),
        ),
        agent=by_hat(build="echo 1 > step; ralph emit one.done; ralph emit two.done", join=DONE),
    ),
    "hats-cancel": Scenario(
        config=hats(
            {"cancellation_promise": "loop.cancel"}, build=hat("task.start", publishes=["loop.cancel"])
        ),
        agent="echo 1 > step; ralph emit loop.cancel 'not worth it'; sleep 600",
    ),
    "hats-persistent": Scenario(
        config=hats(
            {"persistent": True, "max_iterations": 2, "cooldown_delay_seconds": 0.1},
            build=hat("task.start", "task.resume"),
        ),
    ),
    "hats-killed": Scenario(
        config=hats(build=hat("task.start", publishes=["build.done"]), check=hat("build.done")),
        agent=by_hat(build="echo 1 > step; ralph emit build.done", check=HANGS),
        steps=(start("run"), mark("up"), KILL),
        resume=GOES_ON,
    ),
    "roles": Scenario(
        agent=ROLE_WORK,
        files={
            "config/roles.yaml": ROLES,
            "roles/role-review.md": "# Role: review\nTASK_COMPLETE\n",
            "roles/role-debug.md": "# Role: debug\n",
            "working.md": "Work carefully.\n",
            "idea.md": "An idea.\n",
        },
    ),
    "board": Scenario(
        steps=(run("run", "--max-items", "2"),),
        config=BOARD,
        files={"steps.yml": BOARD_STEPS, "work/item-one": "do one\n", "work/item-two": "do two\n"},
    ),
    "board-gives-up": Scenario(
        steps=(run("run", "--max-items", "2"),),
        config=BOARD,
        files={"steps.yml": BOARD_STEPS, "work/bad-item": "do it\n", "work/item-two": "do two\n"},
    ),
    "board-of-tasks": Scenario(
        steps=(run("run", "-P", "PROMPT.md"),),
        agent=SCAN_LIST,
        config={
            "gates": None,
            "event_loop": {"starting_event": "board.scan", "max_iterations": 20},
            "hats": {
                "hat-scan": {
                    "triggers": ["board.scan", "board.rescan"],
                    "scan": {"backlog": {"tasks.jsonl": "task.ready"}},
                },
                "hat-work": {
                    "triggers": ["task.ready"],
                    "publishes": ["board.rescan"],
                    "default_publishes": "board.rescan",
                    "instructions": "Do the task.",
                },
            },
        },
        files={
            "PROMPT.md": "Work through the list.\n",
            "tasks.jsonl": "".join(
                json.dumps(
                    {"id": f"task-{id}", "title": title, "status": "pending", "leaf": True, "priority": n}
                )
                + "\n"
                for id, title, n in (("a", "Second", 2), ("b", "Never done", 3), ("c", "First", 1))
            ),
        },
    ),
    # -- a backlog
    "backlog": backlog(tasks=ABC),
    "backlog-one-task": backlog("--task", "task-b"),
    "backlog-depends": backlog(tasks=(task("a", blocked_by=["task-b"]), task("b"))),
    "backlog-parallel": backlog(
        "--parallel",
        "3",
        tasks=ABC,
        parallel=True,
        agent=IN_TURN.replace("{work}", 'echo good > "parts/$RALPH_TASK"'),
    ),
    "backlog-conflict": backlog(
        "--parallel",
        "2",
        parallel=True,
        files={"shared": "start\n"},
        agent='if grep -qs "<<<<<<<" shared; then printf "A\\nB\\n" > shared; echo TASK_COMPLETE; exit; fi; '
        + IN_TURN.replace("{work}", "echo $RALPH_TASK > shared"),
    ),
    "backlog-failure-branch": backlog(tasks=ABC, agent=BAD_FOR % "task-b"),
    "backlog-failed-again": backlog(
        steps=(
            run("run"),
            shell("git stash -q; git stash pop -q"),
            run("task", "reopen", "task-b"),
            run("run"),
        ),
        agent=BAD_FOR % "task-b",
    ),
    "backlog-land-branch": backlog(config={"land": "branch"}),
    "backlog-land-none": backlog(config={"land": "none"}),
    "backlog-pushed": backlog(
        steps=(
            shell("git init -q --bare --template= ../there.git && git remote add origin ../there.git"),
            run("run"),
        ),
        config={"land": "branch", "push": True},
        tasks=(task("a"),),
    ),
    "backlog-worktree": backlog(config={"workspace": "worktree"}),
    "backlog-unverified": backlog(config={"gates": None}),
    "backlog-needs-review": backlog(
        agent="echo exit 0 > test.sh; mkdir -p parts; echo bad > parts/x; echo TASK_COMPLETE",
        tasks=(task("a"),),
        resume=(run("resume", "--task", "task-a", "--allow", "test.sh"),),
    ),
    "backlog-at-end": backlog(config=AT_END, files=AT_END_FILES),
    "backlog-asks": backlog(
        agent=Q, tasks=(task("q"), task("b")), resume=(run("resume", "--answer", "blue"),)
    ),
    "backlog-answered": backlog(
        agent=Q,
        tasks=(task("q"), task("b")),
        steps=(run("run"), run("resume", "--task", "task-q", "--answer", "blue")),
    ),
    "backlog-proposals": backlog(
        agent=f'if [ "$RALPH_TASK" = task-a ]; then ralph task add "Part of it" --id task-n; fi; {GOOD}'
    ),
    "backlog-split": backlog(
        steps=(run("run", "--once"), run("run")),
        agent='if [ "$RALPH_TASK" = task-a ]; then ralph task split task-a "First half" "Second half"; '
        f"mkdir -p parts; echo bad > parts/a; echo TASK_COMPLETE; else {GOOD}; fi",
    ),
    "backlog-edits-its-list": backlog(
        "--once",
        agent='mkdir -p parts; echo good > "parts/$RALPH_TASK"; echo I wrote the part.; '
        'echo \'{"id": "task-n", "title": "New"}\' >> tasks.jsonl; echo TASK_COMPLETE',
    ),
    "backlog-moving-target": backlog(
        agent=f"[ $RALPH_ITERATION = 1 ] && (cd {MAIN} && echo theirs > theirs "
        f"&& git add theirs && git commit -qm theirs); {GOOD}",
        tasks=(task("a"),),
    ),
    "backlog-killed-and-run": backlog(
        agent=f"[ $RALPH_TASK = task-a ] || {{ touch $HOME/up; [ -e $HOME/go ] || sleep 600; }}; {GOOD}",
        steps=(start("run"), mark("up"), KILL, GO, run("run")),
    ),
    "backlog-stopped": backlog(
        agent=f"touch $HOME/up-$RALPH_TASK; until [ -e $HOME/go ]; do sleep 0.02; done; {GOOD}",
        steps=(start("run"), mark("up-task-a"), run("stop"), fact("stop.requested"), GO, WAIT),
        resume=(run("run"),),
    ),
    "backlog-cancelled": backlog(
        agent=f"touch $HOME/up; [ -e $HOME/go ] || sleep 600; {GOOD}",
        steps=(start("run"), mark("up"), run("cancel"), WAIT),
    ),
}


def build(world: World, scenario: Scenario) -> None:
    world.make()
    world.write("agent.sh", f"#!/bin/sh\nPROMPT=$(cat)\n{scenario.agent}\n")
    if scenario.tasks:
        world.write("tasks.jsonl", "".join(json.dumps(one) + "\n" for one in scenario.tasks))
    else:
        world.write("PROMPT.md", "Write 42 into the file `answer`.\n")
    for name, text in scenario.files.items():
        world.write(name, text)
    world.write("ralph.yml", json.dumps(merged(BASE, scenario.config), indent=1) + "\n")
    world.commit()
