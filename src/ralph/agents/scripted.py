"""The scripted agent: a YAML file says what each iteration does. No model; for tests and the demo.

It is a real program in its own process (`python -m ralph.agents.scripted FILE`), started like any agent.

    iterations:
      - - write: {path: a.py, text: "x = 1"}
        - run: sh test.sh            # its output is shown; its exit code is not the agent's
        - scratchpad: {done: ..., testStatus: ..., nextStep: ..., blockers: ...}
        - emit: {topic: review.ready, payload: text}
        - say: ITERATION_DONE
Other steps: append, delete, sleep (seconds), background (a command left running), exit (code), crash (a signal).
The iteration number picks the entry; past the last one, the last is repeated. Under a hat that the file names, its steps
are taken instead, each time the same (`iterations:` may then be missing):

    hats:
      reviewer:
        - emit: {topic: review.passed}
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph.agents.adapter import Adapter, AgentTools, Launch
    from ralph.core.agent_policy import AgentPolicy


def adapter() -> Adapter:
    """Made when asked for: this module is the agent's program as well, which imports little and starts fast."""
    from ralph.agents.adapter import Launch, Needs
    from ralph.agents.command import CommandAdapter
    from ralph.errors import RalphError

    class ScriptedAdapter(CommandAdapter):
        needs = Needs()
        keys = ("script", "output")

        def check(self, policy: AgentPolicy) -> None:
            try:
                load(policy.script)
            except ScriptError as error:
                todo = "Correct the script; nothing was changed."
                raise RalphError(str(error), todo=todo, code=10) from None

        def launch(self, policy: AgentPolicy, prompt: str, prompt_file: Path, tools: AgentTools) -> Launch:
            argv = (sys.executable, "-m", "ralph.agents.scripted", policy.script)
            return Launch(argv=argv, stdin=prompt.encode(), env=policy.env)

    return ScriptedAdapter()


class ScriptError(Exception):
    """The file is not a script."""


class StepFailed(Exception):
    pass


Steps = list[dict[str, Any]]


class Script(NamedTuple):
    iterations: list[Steps]
    hats: dict[str, Steps]


def load(path: str) -> Script:
    """The steps of each iteration and of each hat, or ScriptError saying where the file is wrong."""
    import yaml

    try:
        text = Path(path).read_text(encoding="utf-8")
        content = yaml.safe_load(text)
    except OSError as error:
        raise ScriptError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, RecursionError):
        raise ScriptError(f"{path}: is not a text file of steps") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else path
        raise ScriptError(f"{where}: not valid YAML: {getattr(error, 'problem', None) or error}") from None
    known = content if isinstance(content, dict) and content.keys() <= {"iterations", "hats"} else {}
    iterations, hats = known.get("iterations", []), known.get("hats", {})
    if not isinstance(iterations, list) or not isinstance(hats, dict) or not (iterations or hats):
        raise ScriptError(
            f"{path}: needs `iterations:` (a list of steps for each) or `hats:` (steps for each), and nothing else"
        )
    entries: list[tuple[str, tuple[Any, ...], Any]] = [
        (f"iteration {n + 1}", ("iterations", n), steps) for n, steps in enumerate(iterations)
    ]
    entries += [(f"hat {hat}", ("hats", hat), steps) for hat, steps in hats.items()]
    for what, at, steps in entries:
        if not isinstance(steps, list):
            raise ScriptError(f"{path}:{_line(text, *at)}: {what} is not a list of steps")
        for place, step in enumerate(steps):
            if wrong := _wrong_with(step):
                line = _line(text, *at, place)
                raise ScriptError(f"{path}:{line}: {what}, step {place + 1}: {wrong}")
    return Script(iterations, {str(hat): steps for hat, steps in hats.items()})


def _wrong_with(step: Any) -> str:
    if not isinstance(step, dict) or len(step) != 1:
        return f"must be one `step: argument`, not {step!r}"
    ((name, argument),) = step.items()
    if name not in STEPS:
        import difflib

        near = difflib.get_close_matches(str(name), STEPS, 1)
        return f"unknown step {name!r} " + (
            f"(nearest: {near[0]})" if near else f"(steps: {', '.join(STEPS)})"
        )
    needs = STEPS[name].needs
    if isinstance(needs, str):
        return "" if _VALID[needs](argument) else f"{name} needs {needs}, not {argument!r}"
    if not isinstance(argument, dict):
        return f"{name} needs {{{', '.join(needs)}}}, not {argument!r}"
    for key, what in needs.items():
        if key in argument and not _VALID[what](argument[key]):
            return f"{name}: {key} must be {what}, not {argument[key]!r}"
        if key not in argument and key not in _OPTIONAL:
            return f"{name} needs {key}"
    extra = [str(key) for key in argument if key not in needs]
    return f"{name} does not know {', '.join(extra)}; it takes {', '.join(needs)}" if extra else ""


def _line(text: str, *path: Any) -> int:
    """The line on which an iteration or hat, or a step of it, stands."""
    import yaml

    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    for part in path:
        if isinstance(node, yaml.MappingNode):
            node = next(value for key, value in node.value if key.value == str(part))
        else:
            node = node.value[part]
    return int(node.start_mark.line) + 1


def perform(script: Script, number: int, hat: str = "") -> int:
    """Do the steps of one iteration; returns the exit code."""
    for step in _steps(script, number, hat):
        ((name, argument),) = step.items()
        code = STEPS[name].do(argument)
        if code is not None:
            return code
    return 0


def _steps(script: Script, number: int, hat: str) -> Steps:
    if hat in script.hats:
        return script.hats[hat]
    if not script.iterations:
        raise StepFailed(
            f"the script has no steps for {f'the hat {hat}' if hat else 'an iteration without a hat'}"
        )
    return script.iterations[min(number, len(script.iterations)) - 1]


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
    code = subprocess.run([sys.executable, "-m", "ralph", *arguments]).returncode
    if code:
        raise StepFailed(f"`ralph {arguments[0]}` ended with exit code {code}")


def _sleep(seconds: Any) -> None:
    import time

    time.sleep(float(seconds))


def _exit(code: Any) -> int:
    return int(code)


def _crash(name: Any) -> None:
    import signal

    sys.stdout.flush()
    os.kill(os.getpid(), getattr(signal, name))


def _is_signal(value: Any) -> bool:
    import signal

    return isinstance(value, str) and value in signal.Signals.__members__


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e6


_VALID: dict[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "text or a number": lambda value: isinstance(value, str | int | float),
    "a topic": lambda value: isinstance(value, str) and value.strip() != "" and value[0] != "-",
    "a path": lambda value: isinstance(value, str) and value != "",
    "a command": lambda value: isinstance(value, str) and value.strip() != "",
    "true or false": lambda value: isinstance(value, bool),
    "seconds": _is_number,
    "an exit code from 0 to 255": lambda value: _is_number(value) and isinstance(value, int) and value < 256,
    "the name of a signal, such as SIGKILL": _is_signal,
}
_OPTIONAL = ("executable", "payload")


class ScriptStep(NamedTuple):
    do: Callable[[Any], int | None]
    needs: str | dict[str, str]  # what its argument must be; for a mapping, of each key


_FILE = {"path": "a path", "text": "text"}
_NOTE = "text or a number"
STEPS: dict[str, ScriptStep] = {
    "write": ScriptStep(_write, {**_FILE, "executable": "true or false"}),
    "append": ScriptStep(_append, _FILE),
    "delete": ScriptStep(_delete, "a path"),
    "run": ScriptStep(_run, "a command"),
    "background": ScriptStep(_background, "a command"),
    "say": ScriptStep(_say, "text or a number"),
    "emit": ScriptStep(_emit, {"topic": "a topic", "payload": _NOTE}),
    "scratchpad": ScriptStep(
        _scratchpad, {"done": _NOTE, "testStatus": _NOTE, "nextStep": _NOTE, "blockers": _NOTE}
    ),
    "sleep": ScriptStep(_sleep, "seconds"),
    "exit": ScriptStep(_exit, "an exit code from 0 to 255"),
    "crash": ScriptStep(_crash, "the name of a signal, such as SIGKILL"),
}


def main() -> int:
    try:
        number, hat = int(os.environ.get("RALPH_ITERATION", "1")), os.environ.get("RALPH_HAT", "")
        return perform(load(sys.argv[1]), number, hat)
    except ScriptError as error:
        print(f"scripted agent: {error}", file=sys.stderr)
        return 127
    except (OSError, StepFailed) as error:
        print(f"scripted agent: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
