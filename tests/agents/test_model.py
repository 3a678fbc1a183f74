"""The real CLIs against the scripted model: their work, their words, their tokens, and how they fail."""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cases
import clis
import pytest
import record
from install import Installed

from model.log import read
from model.serve import Model

Program = Callable[[str], Installed]

SECONDS = 60  # far beyond what any of these takes; a bound, not an expectation
SLOW = {"gemini", "opencode"}
EVERY = [pytest.param(cli, marks=pytest.mark.agents if cli in SLOW else ()) for cli in clis.STARTS]
FAULTS = [
    pytest.param(cli, name, marks=pytest.mark.agents if cli in SLOW else ())
    for cli in clis.STARTS
    for name in cases.recorded(cli)
    if cases.case(cli, name).faults
]
ECHO = Path(__file__).with_name("echo_mcp.py")


class Place:
    """A folder to work in, a HOME, and a scenario of its own for one CLI."""

    def __init__(self, cli: str, program: Installed, model: Model, root: Path, name: str = "work") -> None:
        self.cli, self.program, self.model, self.name = cli, program, model, name
        self.folder, self.home = root / name / "project", root / name / "home"
        self.folder.mkdir(parents=True)

    def run(
        self,
        steps: Any = cases.WORK,
        faults: Any = (),
        enough: Callable[[], bool] = lambda: False,
        env: dict[str, str] | None = None,
        **wanted: Any,
    ) -> clis.Done:
        self.model.add(self.name, steps, faults)
        asked = clis.Wanted(self.model.base(self.name), self.home, **wanted)
        start = clis.STARTS[self.cli](self.program, asked)
        start = replace(start, env={**start.env, **(env or {})})
        return clis.run(start, self.folder, SECONDS, enough)

    @property
    def turns(self) -> list[int]:
        return [request.turn for request in self.model.requests(self.name)]


def final_words(cli: str, done: clis.Done) -> str:
    match cli:
        case "claude":
            return str(done.of("result")[-1]["result"])
        case "codex":
            said = [i["item"] for i in done.of("item.completed") if i["item"]["type"] == "agent_message"]
            return str(said[-1]["text"])
        case "gemini":
            lines = done.stream
            last = max(n for n, line in enumerate(lines) if line["type"] == "tool_result")
            said = [line for line in lines[last:] if line["type"] == "message"]
            return "".join(line["content"] for line in said)
    return str(done.of("text")[-1]["part"]["text"])


def tokens(cli: str, done: clis.Done) -> tuple[int, int, int]:
    """Prompt, of it from the cache, and output."""
    match cli:
        case "claude":
            found = done.of("result")[-1]["usage"]
            cached = found["cache_read_input_tokens"]
            prompt = found["input_tokens"] + cached + found["cache_creation_input_tokens"]
            return prompt, cached, found["output_tokens"]
        case "codex":
            found = done.of("turn.completed")[-1]["usage"]
            return found["input_tokens"], found["cached_input_tokens"], found["output_tokens"]
        case "gemini":
            found = done.of("result")[-1]["stats"]
            return found["input_tokens"], found["cached"], found["output_tokens"]
    steps = [line["part"]["tokens"] for line in done.of("step_finish")]
    cached = sum(step["cache"]["read"] for step in steps)
    return sum(step["input"] for step in steps) + cached, cached, sum(step["output"] for step in steps)


@pytest.mark.parametrize("cli", EVERY)
def test_it_writes_a_file_runs_a_command_and_reports_words_and_tokens(
    cli: str, program: Program, model: Model, tmp_path: Path
) -> None:
    place = Place(cli, program(cli), model, tmp_path)
    done = place.run()
    assert done.code == record.exits()[cli]["success"] == 0, done.stderr
    assert (place.folder / "hello.txt").read_text() == "hello\n"
    assert (place.folder / "ran.txt").read_text() == "ran\n"
    assert final_words(cli, done) == "All done."
    assert tokens(cli, done) == (3 * 161, 3 * 30, 3 * 7)
    assert place.turns == [0, 1, 2]
    assert record.shape(done.stream) == record.shape(record.stream(cli, "success"))
    assert [(entry.path, entry.problem) for entry in read(model.log.path) if not entry.wire] == []


@pytest.mark.parametrize("cli", EVERY)
def test_it_calls_an_mcp_tool(cli: str, program: Program, model: Model, tmp_path: Path) -> None:
    place = Place(cli, program(cli), model, tmp_path)
    notes = tmp_path / "notes"
    server = clis.Server(sys.executable, (str(ECHO),), {"NOTES": str(notes)})
    call = {"server": "ralph-test", "tool": "note_down", "arguments": {"text": "noted by " + cli}}
    done = place.run([{"mcp": call}, {"say": {"text": "Noted."}}], mcp={"ralph-test": server})
    assert done.code == 0, done.stderr
    assert notes.read_text() == f"noted by {cli}\n"


@pytest.mark.parametrize("cli", EVERY)
def test_the_prompt_and_the_model_arrive_as_given(
    cli: str, program: Program, model: Model, tmp_path: Path
) -> None:
    place = Place(cli, program(cli), model, tmp_path)
    odd = "--help -p \"quoted\" 'single' $HOME `id` \\n\nsecond line · é 日本 🎉\n"
    prompt = odd + "a long line of two hundred thousand characters\n" * 4256 + "the end"
    done = place.run([{"say": {"text": "Read."}}], prompt=prompt, model="some-model-7")
    assert done.code == 0, done.stderr
    request = model.requests()[-1]
    assert prompt in request.prompt
    assert request.model == "some-model-7"


@pytest.mark.parametrize("cli", EVERY)
def test_a_conversation_is_as_recorded(cli: str, program: Program, model: Model, tmp_path: Path) -> None:
    case = cases.case(cli, "conversation")
    done = Place(cli, program(cli), model, tmp_path).run(steps=case.steps, **case.wanted)
    assert done.code == 0, done.stdout + done.stderr
    assert record.shape(done.stream) == record.shape(record.stream(cli, "conversation"))


@pytest.mark.parametrize(("cli", "name"), FAULTS)
def test_a_fault_ends_it_as_recorded(
    cli: str, name: str, program: Program, model: Model, tmp_path: Path
) -> None:
    place = Place(cli, program(cli), model, tmp_path)
    case = cases.case(cli, name)
    done = place.run(faults=case.faults, **case.wanted)
    assert done.code == record.exits()[cli][name], done.stdout + done.stderr
    assert record.shape(done.stream) == record.shape(record.stream(cli, name))
    assert model.requests()[0].fault == name


@pytest.mark.parametrize("cli", EVERY)
def test_it_goes_on_after_an_overload_that_passes(
    cli: str, program: Program, model: Model, tmp_path: Path
) -> None:
    place = Place(cli, program(cli), model, tmp_path)
    done = place.run(faults=[{"name": "429", "first": 1, "retry_after": 1}])
    assert done.code == 0, done.stderr
    assert final_words(cli, done) == "All done."
    assert [request.fault for request in model.requests()] == ["429", "", "", ""]


@pytest.mark.parametrize("cli", EVERY)
def test_no_answer_at_all_is_waited_for(cli: str, program: Program, model: Model, tmp_path: Path) -> None:
    place = Place(cli, program(cli), model, tmp_path)
    asked: list[float] = []

    def waited() -> bool:
        if not asked and model.requests():
            asked.append(time.monotonic())
        return bool(asked) and time.monotonic() > asked[0] + 1

    done = place.run(faults=[{"name": "hang"}], enough=waited, reply_seconds=600)
    assert done.code is None and asked
    assert [request.fault for request in model.requests()] == ["hang"]


def test_claude_gives_up_on_a_silent_model_after_its_own_limit(
    program: Program, model: Model, tmp_path: Path
) -> None:
    place = Place("claude", program("claude"), model, tmp_path)
    done = place.run(faults=[{"name": "hang"}], reply_seconds=1)
    assert done.code == 1
    assert done.of("result")[-1]["is_error"] is True


@pytest.mark.parametrize("cli", ["claude", "codex"])
def test_two_runs_at_once_share_nothing(cli: str, program: Program, model: Model, tmp_path: Path) -> None:
    names = ("first", "second")
    places = {name: Place(cli, program(cli), model, tmp_path, name) for name in names}
    done: dict[str, clis.Done] = {}

    def one(name: str) -> None:
        steps = [{"write": {"path": "who.txt", "text": f"{name}\n"}}, {"say": {"text": f"It was {name}."}}]
        done[name] = places[name].run(steps)

    threads = [threading.Thread(target=one, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in names:
        assert (places[name].folder / "who.txt").read_text() == f"{name}\n", done[name].stderr
        assert final_words(cli, done[name]) == f"It was {name}."
        assert places[name].turns == [0, 1]


FIVE = [{"write": {"path": f"{n}.txt", "text": f"{n}\n"}} for n in range(4)]


@pytest.mark.parametrize("cli", ["claude", "codex"])
def test_the_script_goes_on_where_it_was_after_compaction(
    cli: str, program: Program, model: Model, tmp_path: Path
) -> None:
    place = Place(cli, program(cli), model, tmp_path)
    full = {"usage": {"input": 95_000, "output": 10}}
    normal = {"usage": {"input": 100, "output": 10}}
    steps = [FIVE[0], {**full, **FIVE[1]}, {**normal, **FIVE[2]}, FIVE[3], {"say": {"text": "Whole."}}]
    extra = ("-c", "model_auto_compact_token_limit=90000") if cli == "codex" else ()
    env = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"} if cli == "claude" else {}
    done = place.run(steps, extra=extra, env=env)
    assert done.code == 0, done.stdout
    assert final_words(cli, done) == "Whole."
    assert sorted(path.name for path in place.folder.glob("*.txt")) == ["0.txt", "1.txt", "2.txt", "3.txt"]
    assert [request.side for request in model.requests(side=True)].count(True) == 1
    assert place.turns == [0, 1, 2, 3, 4]


def test_a_stop_hook_that_sends_claude_on_gets_the_next_step(
    program: Program, model: Model, tmp_path: Path
) -> None:
    place = Place("claude", program("claude"), model, tmp_path)
    once = shlex.quote(str(tmp_path / "once"))
    hook = {"type": "command", "command": f"[ -e {once} ] && exit 0; touch {once}; echo go on >&2; exit 2"}
    settings = json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}})
    steps = [{"say": {"text": "Finished?"}}, FIVE[0], {"say": {"text": "Finished."}}]
    done = place.run(steps, extra=("--settings", settings))
    assert done.code == 0, done.stdout
    assert (place.folder / "0.txt").exists()
    assert final_words("claude", done) == "Finished."


@pytest.mark.parametrize("cli", clis.STARTS)
def test_recorded_streams_give_nothing_of_a_machine_away(cli: str) -> None:
    names = cases.recorded(cli)
    assert sorted(path.stem for path in (record.STREAMS / cli).glob("*.jsonl")) == sorted(names)
    assert sorted(record.exits()[cli]) == sorted(names)
    for name in names:
        text = (record.STREAMS / cli / f"{name}.jsonl").read_text("utf-8")
        for private in (f'"{tempfile.gettempdir()}', "-tmp-", f"{Path.home()}/", clis.FAKE_KEY):
            assert private not in text, name
