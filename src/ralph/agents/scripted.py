"""The scripted agent: a YAML file says what each iteration does. No model; for tests and the demo.

It is a real program in a process of its own (`python -m ralph.agents.scripted FILE`), started like any agent.

    iterations:
      - - write: {path: a.py, text: "x = 1"}
        - run: sh test.sh            # its output is shown; its exit code is not the agent's
        - scratchpad: {done: ..., testStatus: ..., nextStep: ..., blockers: ...}
        - emit: {topic: review.ready, payload: text}
        - say: ITERATION_DONE
Other steps: append, delete, sleep (seconds), background (a command left running), exit (code), crash (a signal).
The iteration number picks the entry; past the last one, the last is repeated.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph.agents.adapter import Launch, Reader
    from ralph.core.policy import AgentPolicy


class ScriptedAdapter:
    def launch(self, policy: AgentPolicy, prompt: str, prompt_file: Path) -> Launch:
        from ralph.agents.adapter import Launch

        argv = (sys.executable, "-m", "ralph.agents.scripted", policy.script)
        return Launch(argv=argv, stdin=prompt.encode(), env=policy.env)

    def reader(self, policy: AgentPolicy) -> Reader:
        from ralph.agents.command import CommandAdapter

        return CommandAdapter().reader(policy)


class ScriptError(Exception):
    pass


def load(path: str) -> list[list[dict[str, Any]]]:
    import yaml

    try:
        with open(path, encoding="utf-8") as file:
            content = yaml.safe_load(file)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ScriptError(f"{path}: {error}") from None
    iterations = content.get("iterations") if isinstance(content, dict) else None
    if not isinstance(iterations, list) or not iterations:
        raise ScriptError(f"{path}: needs `iterations:`, a list with a list of steps for each iteration")
    for number, steps in enumerate(iterations, 1):
        for step in steps if isinstance(steps, list) else [None]:
            if not isinstance(step, dict) or len(step) != 1 or next(iter(step)) not in STEPS:
                raise ScriptError(
                    f"{path}: iteration {number}: bad step {step!r}; steps are {', '.join(STEPS)}"
                )
    return iterations


def perform(iterations: list[list[dict[str, Any]]], number: int) -> int:
    """Do the steps of one iteration; returns the exit code."""
    steps = iterations[min(number, len(iterations)) - 1]
    for step in steps:
        ((name, argument),) = step.items()
        code = STEPS[name](argument)
        if code is not None:
            return code
    return 0


def _write(what: Any) -> None:
    path = Path(what["path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(what["text"], encoding="utf-8")
    if what.get("executable"):
        path.chmod(0o755)


def _append(what: Any) -> None:
    with open(what["path"], "a", encoding="utf-8") as file:
        file.write(what["text"])


def _delete(what: Any) -> None:
    Path(what).unlink(missing_ok=True)


def _run(command: Any) -> None:
    import subprocess

    sys.stdout.flush()
    code = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL).returncode
    print(f"$ {command}: exit code {code}", flush=True)


def _background(command: Any) -> None:
    import subprocess

    subprocess.Popen(command, shell=True, stdin=subprocess.DEVNULL, start_new_session=True)


def _say(text: Any) -> None:
    print(text, flush=True)


def _emit(what: Any) -> None:
    _ralph("emit", what["topic"], str(what.get("payload", "")))


def _scratchpad(what: Any) -> None:
    _ralph(
        "scratchpad",
        f"--done={what['done']}",
        f"--test-status={what['testStatus']}",
        f"--next-step={what['nextStep']}",
        f"--blockers={what['blockers']}",
    )


def _ralph(*arguments: str) -> None:
    import subprocess

    sys.stdout.flush()
    subprocess.run([sys.executable, "-m", "ralph", *arguments], check=True)


def _sleep(seconds: Any) -> None:
    import time

    time.sleep(float(seconds))


def _exit(code: Any) -> int:
    return int(code)


def _crash(name: Any) -> None:
    import signal

    sys.stdout.flush()
    os.kill(os.getpid(), getattr(signal, str(name)))


STEPS: dict[str, Callable[[Any], int | None]] = {
    "write": _write,
    "append": _append,
    "delete": _delete,
    "run": _run,
    "background": _background,
    "say": _say,
    "emit": _emit,
    "scratchpad": _scratchpad,
    "sleep": _sleep,
    "exit": _exit,
    "crash": _crash,
}


def main() -> int:
    try:
        iterations = load(sys.argv[1])
    except ScriptError as error:
        print(f"scripted agent: {error}", file=sys.stderr)
        return 127
    return perform(iterations, int(os.environ.get("RALPH_ITERATION", "1")))


if __name__ == "__main__":
    sys.exit(main())
