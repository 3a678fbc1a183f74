"""One scenario for each key of ralph.yml: what the key does to a real run, and what happens without it.

A scenario looks at behaviour only: the end, the exit code, prompts, what agent and gates saw, and facts of what
happened; never at the policy that the journal repeats.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from project import Project

import gate_package

Config = dict[str, Any]
Done = subprocess.CompletedProcess[str]
See = Callable[[Project, Done], Any]
_ABSENT = object()


class Scenario(msgspec.Struct, frozen=True):
    value: Any  # of the key
    see: See
    shows: Any  # what is seen with the key
    otherwise: Any  # and without it
    agent: str = "echo 42 > answer; echo TASK_COMPLETE"
    given: Config = {}  # besides BASE
    instead: Any = _ABSENT  # the key's value in the run "without", where it must have one
    without: Config | None = None  # all that is given in that run, where it differs
    files: dict[str, str] = {}
    env: dict[str, str] = {}  # of the user
    tasks: tuple[str, ...] = ()  # of a backlog, in place of PROMPT.md
    first: str = ""  # a line of shell before the run
    beside: str = ""  # and one while it goes on
    flags: tuple[str, ...] = ()


BASE: Config = {
    "cli": {"command": "./agent.sh"},
    "gates": [{"name": "tests", "run": "sh test.sh"}],
    "event_loop": {"max_iterations": 1, "crash_wait": 0, "stop_grace": 1},
    "flaky_passes": 1,
}


def config(key: str, scenario: Scenario, *, with_key: bool) -> Config:
    if not with_key and scenario.without is not None:
        return merged(BASE, scenario.without)
    found = merged(BASE, scenario.given)
    value = scenario.value if with_key else scenario.instead
    return found if value is _ABSENT else put(found, key, value)


def merged(config: Config, more: Config) -> Config:
    """Mappings are merged, lists replaced; None removes."""
    found = dict(config)
    for name, value in more.items():
        if value is None:
            found.pop(name, None)
        elif isinstance(value, dict):
            found[name] = merged(found.get(name, {}), value)
        else:
            found[name] = value
    return found


def put(config: Config, key: str, value: Any) -> Config:
    found: Config = json.loads(json.dumps(config))
    at = found
    *sections, name = key.split(".")
    for section in sections:
        if section == "<name>":  # the first that there is
            at = next(iter(at.values()))
        else:
            at = at[section[:-2]][0] if section.endswith("[]") else at.setdefault(section, {})
    at[name] = value
    return found


# -- what is looked at -----------------------------------------------------------------------------------


def code(project: Project, done: Done) -> int:
    return done.returncode


def limit(project: Project, done: Done) -> str:
    return str(project.end().get("limit", ""))


def seen(project: Project, done: Done) -> str:
    """What the agent, reviewer or gate wrote down."""
    return (Path(project.env["HOME"]) / "seen").read_text()


def noted(project: Project, done: Done) -> str:
    """What was written down in the workspace; a sandbox has another home."""
    return (project.path / "noted").read_text()


def same_network(project: Project, done: Done) -> bool:
    return noted(project, done).strip() == str(Path("/proc/self/ns/net").readlink())


def told(project: Project, done: Done) -> list[bool]:
    return [fact["ok"] for fact in project.facts("notified")]


def prompted(text: str, which: int = 0) -> See:
    return lambda project, done: text in project.prompt(which)


def task_ids(project: Project, done: Done) -> list[str]:
    return [fact["task"]["id"] for fact in project.facts("loop.started")]


def ways(project: Project, done: Done) -> list[str]:
    """How each task landed."""
    return sorted(fact["how"] for fact in project.facts("landed"))


def slots(project: Project, done: Done) -> list[str]:
    return sorted(seen(project, done).split())


def pushed(project: Project, done: Done) -> str:
    return project.git("ls-remote", "--heads", "origin").rpartition("\t")[2]


def of(kind: str, field: str, default: Any = "", which: int | None = None) -> See:
    """This field of all facts of a kind, or of one of them."""

    def see(project: Project, done: Done) -> Any:
        found = [fact.get(field, default) for fact in project.facts(kind)]
        return found if which is None else found[which]

    return see


passes = of("run.reviewed", "passed")
why_over = of("run.ended", "reason")
SHORT: Config = {"event_loop": {"max_iterations": 1, "iteration_timeout": 2}}


# -- what agents, gates and reviewers do ------------------------------------------------------------------

DONE = "echo 42 > answer; echo TASK_COMPLETE"
STUCK = "echo TASK_STUCK: this one should not have been asked"
WORK = "echo $RALPH_ITERATION > step; echo ITERATION_DONE"
WRONG = "echo $RALPH_ITERATION > answer; echo TASK_COMPLETE"
WRITE_DOWN = 'printf "%s\\n" "$@" > $HOME/seen; ' + DONE
USAGE = '{"type":"usage","input_tokens":900,"output_tokens":600,"cost_usd":2.5}'
SPEND = f"echo $RALPH_ITERATION > step; echo '{USAGE}'"
SAY_DONE = """echo '{"type":"message","role":"assistant","text":"TASK_COMPLETE"}'"""
QUOTA = '{"type":"error","kind":"quota","text":"later","retry_after":1}'
ONCE = "[ -e $HOME/asked ] || { touch $HOME/asked; %s; }\n"


def until_noted(what: str) -> str:
    """Works until this stands in the journal, but not for ever."""
    return (
        f"n=0; until grep -q {what} .git/ralph/journal.jsonl || [ $n -ge 200 ]; "
        f"do n=$((n+1)); sleep 0.05; done; {DONE}"
    )


def script(*steps: dict[str, Any]) -> str:
    return json.dumps({"iterations": [list(steps)]})


def sh(body: str) -> str:
    return f"#!/bin/sh\n{body}\n"


SCRIPTED_WORK = script({"write": {"path": "answer", "text": "42"}}, {"say": "TASK_COMPLETE"})
SCRIPTED_STUCK = script({"say": "TASK_STUCK: this one should not have been asked"})
SAYS_PASS = script({"say": "PASS"})
SAYS_FAIL = script({"say": "- wrong\nFAIL"})


BOXED: Config = {"sandbox": {"kind": "bwrap"}}


ONE_LINE = {"file": "answer", "least": 1}


def gate(**keys: Any) -> Config:
    return {"gates": [{"name": "tests", **keys}]}


def review(**agent: Any) -> Config:
    return gate(review="spec", agent=agent)


def at_end(*, name: str = "fit", **agent: Any) -> Config:
    return {"at_end": [{"name": name, "review": "spec", "agent": agent}]}


# A reviewer that is the loop's own agent: it knows by the prompt what it is asked for.
BOTH = 'case "$PROMPT" in *"You are a reviewer"*) %s;; *) ' + DONE + ";; esac"


# A task of a backlog: a file of its own, and the answer.
OWN = f"touch $RALPH_TASK; {DONE}"
TASK_B = json.dumps({"id": "B", "title": "Second", "leaf": True})
# The run is idle by now. A task is added; how long the run may take to see it is the question.
ADDED = (
    "until [ -s tasks-done.jsonl ]; do sleep 0.05; done; sleep 1; "
    f"echo '{TASK_B}' >> tasks.jsonl; n=0; "
    "until [ -e $HOME/began-B ] || [ $n -ge 300 ]; do n=$((n+1)); sleep 0.05; done; "
    "[ -e $HOME/began-B ] && echo soon > $HOME/seen || echo late > $HOME/seen; ralph stop"
)
# Each task's first gate waits a while for the other's.
MEET = (
    "me=$HOME/in-$RALPH_TASK; [ -e $HOME/waited-$RALPH_TASK ] || { touch $HOME/waited-$RALPH_TASK $me; n=0; "
    "until [ -e $HOME/in-A -a -e $HOME/in-B ] || [ $n -ge 200 ]; do n=$((n+1)); sleep 0.05; done; "
    "[ -e $HOME/in-A -a -e $HOME/in-B ] && touch $HOME/met; rm $me; }; sh test.sh"
)
PASSING_TEST = (
    "import unittest\nclass Sum(unittest.TestCase):\n    def test_it(self): self.assertEqual(1 + 1, 2)\n"
)
FAILING_TEST = PASSING_TEST.replace("1 + 1, 2", "1 + 1, 3")
IGNORES = ".ralph/\n.ralph_state.md\n.ralph.lock\nralph.log\n.stop\nvendor/\n"


# -- the table -------------------------------------------------------------------------------------------

SCENARIOS: dict[str, Scenario] = {
    "cli.backend": Scenario(
        "scripted", code, 0, 4, STUCK, {"cli": {"script": "steps.yml"}}, files={"steps.yml": SCRIPTED_WORK}
    ),
    "cli.command": Scenario(
        "./other.sh", code, 0, 4, STUCK, instead="./agent.sh", files={"other.sh": sh(DONE)}
    ),
    "cli.model": Scenario(
        *("small", seen, "--model small\n", "\n"),
        'while [ $# -gt 0 ]; do [ "$1" = --model ] && found="$1 $2"; shift; done; echo "$found" > $HOME/seen; '
        + DONE,
        {"cli": {"backend": "copilot"}},
    ),
    "cli.args": Scenario(["--model", "a b"], seen, "--model\na b\n", "\n", WRITE_DOWN),
    "cli.prompt_mode": Scenario("arg", seen, "1\n", "0\n", f"echo $# > $HOME/seen; {DONE}"),
    "cli.prompt_flag": Scenario(
        *("--say", seen, "2\n", "1\n", f"echo $# > $HOME/seen; {DONE}", {"cli": {"prompt_mode": "arg"}}),
    ),
    "cli.output": Scenario(
        *(
            "jsonl",
            of("iteration.ended", "usage", {}, 0),
            {"tokens": 1500, "cost_usd": 2.5, "split": {"input": 900, "output": 600}},
            {},
        ),
        f"{SPEND}; {SAY_DONE}",
    ),
    "cli.env": Scenario({"COLOUR": "blue"}, seen, "blue\n", "\n", f'echo "$COLOUR" > $HOME/seen; {DONE}'),
    "cli.script": Scenario(
        *("steps.yml", code, 0, 4, STUCK, {"cli": {"backend": "scripted", "command": None}}),
        instead="other.yml",
        files={"steps.yml": SCRIPTED_WORK, "other.yml": SCRIPTED_STUCK},
    ),
    "event_loop.prompt": Scenario("Paint it blue", prompted("Paint it blue"), True, False),
    "event_loop.prompt_file": Scenario(
        "other.md", prompted("Paint it blue"), True, False, files={"other.md": "Paint it blue\n"}
    ),
    "event_loop.completion_promise": Scenario("ALL_BLUE", code, 0, 8, "echo 42 > answer; echo ALL_BLUE"),
    "event_loop.claim": Scenario("exit-zero", code, 0, 8, "echo 42 > answer"),
    "event_loop.max_iterations": Scenario(2, of("iteration.started", "n"), [1, 2], [1], WORK, instead=1),
    "event_loop.max_attempts": Scenario(1, code, 3, 8, WRONG),
    "event_loop.max_runtime_seconds": Scenario(0.3, limit, "time", "iterations", f"{WORK}; sleep 6"),
    "event_loop.soft_runtime_seconds": Scenario(
        0.05, of("checkpoint", "what"), ["soft-time"], [], until_noted("soft-time")
    ),
    "event_loop.iteration_timeout": Scenario(
        0.3, of("iteration.ended", "cause"), ["iteration-time"], [""], "sleep 8"
    ),
    "event_loop.iteration_soft_timeout": Scenario(
        0.05, of("checkpoint", "what"), ["iteration-soft"], [], until_noted("iteration-soft")
    ),
    "event_loop.idle_timeout": Scenario(0.5, of("iteration.ended", "cause"), ["idle"], [""], "sleep 8"),
    "event_loop.max_cost_usd": Scenario(
        *(2, limit, "cost", "iterations", SPEND, {"cli": {"output": "jsonl"}}),
    ),
    "event_loop.max_tokens": Scenario(
        *(1000, limit, "tokens", "iterations", SPEND, {"cli": {"output": "jsonl"}}),
    ),
    "event_loop.max_run_seconds": Scenario(
        *(0.5, why_over, ["limit: max_run_seconds"], ["limit"], "sleep 8", SHORT),
    ),
    "event_loop.max_run_cost_usd": Scenario(
        *(2, why_over, ["limit: max_run_cost_usd"], ["limit"], f"{SPEND}; sleep 8"),
        merged(SHORT, {"cli": {"output": "jsonl"}}),
    ),
    "event_loop.max_run_tokens": Scenario(
        *(1000, why_over, ["limit: max_run_tokens"], ["limit"], f"{SPEND}; sleep 8"),
        merged(SHORT, {"cli": {"output": "jsonl"}}),
    ),
    "event_loop.max_run_tasks": Scenario(*(1, task_ids, ["A"], ["A", "B"], OWN), tasks=("A", "B")),
    "event_loop.proposed_generations": Scenario(
        *(
            0,
            task_ids,
            ["A"],
            ["A", "B"],
            f'[ $RALPH_TASK = B ] || ralph task add "More" > $HOME/told; {OWN}',
        ),
        tasks=("A",),
    ),
    "event_loop.max_consecutive_failures": Scenario(1, code, 10, 8, "echo no; exit 9"),
    "event_loop.crash_wait": Scenario(
        *(0.2, of("wait.started", "seconds"), [0.2], [0.0], ONCE % "exit 9" + DONE),
        {"event_loop": {"max_iterations": 2}},
        instead=0,
    ),
    "event_loop.max_wait": Scenario(
        *(0.5, code, 9, 0, ONCE % f"echo '{QUOTA}'; exit 1" + f"echo 42 > answer; {SAY_DONE}"),
        {"cli": {"output": "jsonl"}},
        instead=60,
    ),
    "event_loop.human_timeout_seconds": Scenario(
        *(0.3, of("wait.started", "what"), ["answer"], []),
        'ralph emit human.interact "Which one?"; echo ITERATION_DONE',
        {"event_loop": {"max_iterations": 2}},
    ),
    "event_loop.wrap_up_seconds": Scenario(
        *(0.2, of("iteration.ended", "cause"), ["context"], [""]),
        "ralph hook pre-compact </dev/null; n=0; while [ $n -lt 200 ]; do n=$((n+1)); sleep 0.05; done",
        instead=60,
    ),
    "event_loop.stop_grace": Scenario(
        *(30, seen, "tidied up\n", "begun\n"),
        "trap 'sleep 0.3; echo tidied up > $HOME/seen; exit 0' TERM; echo begun > $HOME/seen; "
        "n=0; while [ $n -lt 400 ]; do n=$((n+1)); sleep 0.05; done",
        {"event_loop": {"iteration_timeout": 4}},
        instead=0,
    ),
    "gates": Scenario("none", code, 0, 6, without={"gates": None}),
    "gates[].name": Scenario(
        *("colours", of("gate.ended", "gate", which=0), "colours", "test"),
        without={"gates": [{"run": "sh test.sh"}]},
    ),
    "gates[].run": Scenario("sh test.sh", code, 0, 8, instead="false"),
    "gates[].review": Scenario(
        *("Is it blue?", seen, "asked\n", "not asked\n"),
        BOTH % 'case "$PROMPT" in *"Is it blue?"*) echo asked > $HOME/seen;; esac; echo PASS',
        gate(),
        without=gate(run="echo not asked > $HOME/seen", hermetic=False),
    ),
    "gates[].agent.backend": Scenario(
        *("scripted", code, 8, 0, DONE, review(command="./reviewer.sh", script="review.yml")),
        files={"reviewer.sh": sh("echo PASS"), "review.yml": SAYS_FAIL},
    ),
    "gates[].agent.command": Scenario(
        *("./reviewer.sh", code, 0, 8, DONE, review()), files={"reviewer.sh": sh("echo PASS")}
    ),
    "gates[].agent.model": Scenario(
        *("kind", code, 0, 8, DONE, review(backend="copilot", command="./reviewer.sh")),
        files={"reviewer.sh": sh('case "$*" in *"--model kind"*) echo PASS;; *) echo FAIL;; esac')},
    ),
    "gates[].agent.args": Scenario(
        ["--kind"], code, 0, 8, BOTH % '[ "$1" = --kind ] && echo PASS || echo FAIL', review()
    ),
    "gates[].agent.prompt_mode": Scenario(
        *("arg", seen, "1\n", "0\n", DONE, review(command="./reviewer.sh")),
        files={"reviewer.sh": sh("echo $# > $HOME/seen; echo PASS")},
    ),
    "gates[].agent.prompt_flag": Scenario(
        *("--say", seen, "2\n", "1\n", DONE, review(command="./reviewer.sh", prompt_mode="arg")),
        files={"reviewer.sh": sh("echo $# > $HOME/seen; echo PASS")},
    ),
    "gates[].agent.output": Scenario(
        *("jsonl", code, 0, 8, DONE, review(command="./reviewer.sh")),
        files={"reviewer.sh": sh("echo Looking; " + SAY_DONE.replace("TASK_COMPLETE", "PASS"))},
    ),
    "gates[].agent.env": Scenario(
        {"MOOD": "kind"}, code, 0, 8, BOTH % '[ "$MOOD" = kind ] && echo PASS || echo FAIL', review()
    ),
    "gates[].agent.script": Scenario(
        *("pass.yml", code, 0, 8, DONE, review(backend="scripted")),
        instead="fail.yml",
        files={"pass.yml": SAYS_PASS, "fail.yml": SAYS_FAIL},
    ),
    "gates[].kind": Scenario(
        *("lines", code, 0, 8),
        given=gate(options=ONE_LINE),
        without=gate(run="false"),
        files=gate_package.FILES,
        env={"PYTHONPATH": gate_package.SITE},
    ),
    "gates[].options": Scenario(
        *(ONE_LINE, code, 0, 8),
        given=gate(kind="lines"),
        instead={**ONE_LINE, "least": 9},
        files=gate_package.FILES,
        env={"PYTHONPATH": gate_package.SITE},
    ),
    "gates[].hard": Scenario(False, code, 6, 8, DONE, gate(run="false")),
    "gates[].every": Scenario(
        "iteration", of("gate.ended", "purpose"), ["base", "iteration"], ["base"], WORK
    ),
    "gates[].soft_timeout": Scenario(
        *(0.05, of("gate.ended", "timed_out", which=-1), "soft", "", DONE, gate(run="sleep 0.3; sh test.sh"))
    ),
    "gates[].hard_timeout": Scenario(
        *(0.3, of("gate.ended", "timed_out", which=-1), "hard", "", DONE, gate(run="sleep 5; sh test.sh"))
    ),
    "gates[].may_write": Scenario(["PROMPT.md"], code, 0, 8, DONE, gate(run="echo >> PROMPT.md")),
    "gates[].hermetic": Scenario(False, code, 0, 8, f"mkdir logs; {DONE}", gate(run="test -d logs")),
    "gates[].setup": Scenario("touch ready", code, 0, 8, DONE, gate(run="test -e ready")),
    "gates[].hidden": Scenario(
        "../hidden", code, 0, 8, DONE, gate(run="grep -q 42 hidden"), first="echo 42 > ../hidden"
    ),
    "gates[].judges": Scenario(
        *(["main.py"], code, 7, 0, "echo > main.py; echo TASK_COMPLETE", gate(run="python3 main.py")),
        files={"main.py": "raise SystemExit(1)\n"},
    ),
    "flaky_passes": Scenario(
        *(2, of("gate.ended", "purpose"), ["base", "base", "claim", "claim"], ["base", "claim"]), instead=1
    ),
    "baseline": Scenario(
        *("allow-red", code, 0, 8, f"echo 1 > other; {DONE}", gate(run="python3 -m unittest")),
        files={"test_red.py": FAILING_TEST},
    ),
    "reproduce": Scenario(
        *("require", code, 8, 0, f"cp test_old.py test_new.py; {DONE}", gate(run="python3 -m unittest")),
        files={"test_old.py": PASSING_TEST},
    ),
    "stuck.same_error_shift": Scenario(
        *(
            1,
            of("iteration.started", "shift", 0),
            [0, 1],
            [0, 0],
            WRONG,
            {"event_loop": {"max_iterations": 2}},
        )
    ),
    "stuck.same_error_stop": Scenario(1, code, 4, 8, WRONG, {"stuck": {"same_error_shift": 1}}),
    "stuck.no_progress_nudge": Scenario(
        *(1, prompted("changed nothing", 1), True, False, "echo ITERATION_DONE"),
        {"event_loop": {"max_iterations": 2}},
    ),
    "stuck.no_progress_stop": Scenario(
        *(1, code, 4, 8, "echo ITERATION_DONE", {"stuck": {"no_progress_nudge": 1}}),
    ),
    "core.scratchpad": Scenario(
        *("notes/{taskId}.md", prompted("remember blue", 1), True, False),
        "mkdir -p notes; echo remember blue > notes/t-1.md; echo ITERATION_DONE",
        {"event_loop": {"max_iterations": 2}, "task": {"id": "t-1"}},
    ),
    "core.guardrails": Scenario(["Paint it blue"], prompted("- Paint it blue"), True, False),
    "task.id": Scenario(
        "t-1", seen, "t-1\n", "write-42-into-the-file-answer\n", f"echo $RALPH_TASK > $HOME/seen; {DONE}"
    ),
    "task.title": Scenario("Paint it blue", prompted("Paint it blue"), True, False),
    "task.description": Scenario("Paint it blue", prompted("Paint it blue"), True, False),
    "task.criteria": Scenario(["It is blue"], prompted("- [ ] It is blue"), True, False),
    "task.no_change_ok": Scenario(True, code, 0, 8, "echo TASK_COMPLETE", gate(run="true")),
    "task.allow": Scenario(["test.sh"], code, 0, 7, "echo true > test.sh; echo TASK_COMPLETE"),
    "fallback": Scenario(
        *(["./other.sh"], code, 0, 10, "exit 1"),
        given={"event_loop": {"max_consecutive_failures": 1, "max_iterations": 3}},
        files={"other.sh": "#!/bin/sh\ncat > /dev/null; echo 42 > answer; echo TASK_COMPLETE\n"},
    ),
    "allow": Scenario(["test.sh"], code, 0, 7, "echo true > test.sh; echo TASK_COMPLETE"),
    "protect": Scenario(
        ["golden"],
        of("iteration.ended", "protected", [], 0),
        ["golden"],
        [],
        "echo x > golden; echo 42 > answer; echo TASK_COMPLETE",
    ),
    "notify": Scenario([{"run": "cat > $HOME/seen"}], told, [True], []),
    "notify[].run": Scenario(
        *("echo told > $HOME/seen", seen, "told\n", "not told\n"),
        given={"notify": [{}]},
        instead="echo not told > $HOME/seen",
    ),
    "notify[].url": Scenario(
        *("json://127.0.0.1:9/", of("notified", "target"), ["1: json://127.0.0.1"], ["1: true"]),
        given={"notify": [{}]},
        without={"notify": [{"run": "true"}]},
    ),
    "notify[].when": Scenario(["wait"], told, [], [True], given={"notify": [{"run": "true"}]}),
    "env_allow": Scenario(
        *(["MY_*"], seen, "set to 1\n", "set to\n", f"echo set to $MY_SETTING > $HOME/seen; {DONE}"),
        env={"MY_SETTING": "1"},
    ),
    "sandbox.kind": Scenario(
        *("bwrap", lambda project, done: project.mark("new"), False, True),
        f"touch $HOME/new; {DONE}",
    ),
    "sandbox.network": Scenario(
        *("none", same_network, False, True, f"readlink /proc/self/ns/net > noted; {DONE}"),
        given=BOXED,
    ),
    "sandbox.credentials": Scenario(
        *([".netrc"], noted, "mine\n", "", f"cat $HOME/.netrc > noted; {DONE}"),
        given=BOXED,
        files={"../home/.netrc": "mine\n"},
    ),
    "sandbox.readable": Scenario(
        *(["../shared"], noted, "ours\n", "", f"cat ../shared/file > noted; {DONE}"),
        given=BOXED,
        files={"../shared/file": "ours\n"},
    ),
    "sandbox.writable": Scenario(
        *(["../cache"], lambda project, done: (project.path / "../cache/new").exists(), True, False),
        f"echo x > ../cache/new; {DONE}",
        given=BOXED,
        files={"../cache/old": ""},
    ),
    "backlog": Scenario(
        *("plan.jsonl", task_ids, ["B"], ["write-42-into-the-file-answer"]),
        files={"plan.jsonl": f"{TASK_B}\n"},
    ),
    "parallel": Scenario(
        *(2, slots, ["1", "2"], ["1", "1"], f"echo $RALPH_SLOT >> $HOME/seen; {OWN}"),
        tasks=("A", "B"),
    ),
    "poll_interval_seconds": Scenario(
        *(3600, seen, "late\n", "soon\n", f"touch $HOME/began-$RALPH_TASK; {OWN}"),
        tasks=("A",),
        beside=ADDED,
        flags=("--watch", "--max-items", "2"),
    ),
    "gate_concurrency": Scenario(
        *(
            2,
            lambda project, done: project.mark("met"),
            True,
            False,
            OWN,
            gate(run=MEET, hermetic=False) | {"parallel": 2},
        ),
        tasks=("A", "B"),
    ),
    "share": Scenario(
        *(["vendor"], noted, "ours\n", "", f"cat vendor/lib > noted; {DONE}"),
        tasks=("A",),
        files={".gitignore": IGNORES, "vendor/lib": "ours\n"},
    ),
    "workspace": Scenario(
        *("worktree", seen, "worktree\n", "clone\n"),
        f"[ -f .git ] && echo worktree > $HOME/seen || echo clone > $HOME/seen; {DONE}",
        tasks=("A",),
    ),
    "land.how": Scenario("branch", ways, ["branch"], ["merge"], tasks=("A",)),
    "land.target": Scenario(
        *("side", of("landed", "ref"), ["refs/heads/side"], ["refs/heads/main"]),
        tasks=("A",),
        first="git branch side",
    ),
    "land.merges": Scenario(
        *(0, ways, ["branch", "merge"], ["merge", "merge"], OWN, {"parallel": 2}), tasks=("A", "B")
    ),
    "push": Scenario(
        *(True, pushed, "refs/heads/task/A-task-a", ""),
        given={"land": "branch"},
        tasks=("A",),
        first="git init -q --bare ../there.git && git remote add origin ../there.git",
    ),
    "at_end": Scenario(
        *([{"review": "spec"}], of("run.reviewed", "passed"), [True], [], BOTH % "echo PASS"), tasks=("A",)
    ),
    "at_end[].name": Scenario(
        *("fit", of("run.reviewed", "gate"), ["fit"], ["spec"], BOTH % "echo PASS"),
        given={"at_end": [{"review": "spec"}]},
        tasks=("A",),
    ),
    "at_end[].review": Scenario(
        *("Is it blue?", seen, "asked\n", "not asked\n"),
        BOTH % 'case "$PROMPT" in *"Is it blue?"*) echo asked > $HOME/seen;; esac; echo PASS',
        given={"at_end": [{}]},
        without={"at_end": [{"review": "spec"}]},
        first="echo not asked > $HOME/seen",
        tasks=("A",),
    ),
    "at_end[].agent.backend": Scenario(
        *("scripted", passes, [False], [True], DONE, at_end(command="./reviewer.sh", script="review.yml")),
        files={"reviewer.sh": sh("echo PASS"), "review.yml": SAYS_FAIL},
        tasks=("A",),
    ),
    "at_end[].agent.command": Scenario(
        *("./reviewer.sh", passes, [True], [False], DONE, at_end()),
        files={"reviewer.sh": sh("echo PASS")},
        tasks=("A",),
    ),
    "at_end[].agent.model": Scenario(
        *("kind", passes, [True], [False], DONE, at_end(backend="copilot", command="./reviewer.sh")),
        files={"reviewer.sh": sh('case "$*" in *"--model kind"*) echo PASS;; *) echo FAIL;; esac')},
        tasks=("A",),
    ),
    "at_end[].agent.args": Scenario(
        *(["--kind"], passes, [True], [False], BOTH % '[ "$1" = --kind ] && echo PASS || echo FAIL'),
        given=at_end(),
        tasks=("A",),
    ),
    "at_end[].agent.prompt_mode": Scenario(
        *("arg", seen, "1\n", "0\n", DONE, at_end(command="./reviewer.sh")),
        files={"reviewer.sh": sh("echo $# > $HOME/seen; echo PASS")},
        tasks=("A",),
    ),
    "at_end[].agent.prompt_flag": Scenario(
        *("--say", seen, "2\n", "1\n", DONE, at_end(command="./reviewer.sh", prompt_mode="arg")),
        files={"reviewer.sh": sh("echo $# > $HOME/seen; echo PASS")},
        tasks=("A",),
    ),
    "at_end[].agent.output": Scenario(
        *("jsonl", passes, [True], [False], DONE, at_end(command="./reviewer.sh")),
        files={"reviewer.sh": sh("echo Looking; " + SAY_DONE.replace("TASK_COMPLETE", "PASS"))},
        tasks=("A",),
    ),
    "at_end[].agent.env": Scenario(
        *({"MOOD": "kind"}, passes, [True], [False]),
        BOTH % '[ "$MOOD" = kind ] && echo PASS || echo FAIL',
        given=at_end(),
        tasks=("A",),
    ),
    "at_end[].agent.script": Scenario(
        *("pass.yml", passes, [True], [False], DONE, at_end(backend="scripted")),
        instead="fail.yml",
        files={"pass.yml": SAYS_PASS, "fail.yml": SAYS_FAIL},
        tasks=("A",),
    ),
    "at_end[].soft_timeout": Scenario(
        *(0.05, of("run.reviewed", "timed_out"), ["soft"], [""], BOTH % "sleep 0.3; echo PASS", at_end()),
        tasks=("A",),
    ),
    "at_end[].hard_timeout": Scenario(
        *(0.3, of("run.reviewed", "timed_out"), ["hard"], [""], BOTH % "sleep 5; echo PASS", at_end()),
        tasks=("A",),
    ),
    "require_verified": Scenario(True, code, 6, 0, given={"gates": "none"}),
}
