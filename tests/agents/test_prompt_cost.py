"""What stays the same comes first in what the real CLIs send, byte for byte, so that providers' prompt caches hit.

Shown from the scripted model's log, over iterations with other scratchpads, failed attempts and a strategy shift.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from install import Installed
from loops import CLAIM, STEP, Loop

from model.log import Logged
from model.serve import Model

GUIDANCE = "Use tabs, never spaces."
CRITERIA = ["The file holds 42", "The file ends with a newline"]
STEPS = """\
mkdir -p .ralph/agent
echo "# Iteration $RALPH_ITERATION Scratchpad: tried $(date +%N)" >.ralph/agent/scratchpad.md
echo $RALPH_ITERATION >"tried-$RALPH_ITERATION"
[ "$RALPH_ITERATION" -lt 4 ] || echo 42 >answer
"""
# What Claude Code itself says of the tree, ahead of every prompt.
OF_THE_CLI = "# gitStatus"


@pytest.mark.parametrize("cli", ["claude", "codex"])
def test_requests_of_one_loop_begin_with_the_same_bytes(
    cli: str, program: Callable[[str], Installed], model: Model, tmp_path: Path
) -> None:
    loop = Loop(tmp_path, model, {cli: program(cli)})
    loop.script(cli, [STEP, CLAIM])
    loop.project.write("step.sh", STEPS)
    task = {"id": "t-1", "title": "Write the answer", "criteria": CRITERIA}
    loop.configure(cli, task=task, core={"guardrails": [GUIDANCE]})
    done = loop.run()
    assert done.returncode == 0, done.stdout + done.stderr

    prompts = [loop.project.prompt(n) for n in range(4)]
    assert "strategy shift" in prompts[3].lower() and "tried " in prompts[3] and "### Attempt 3" in prompts[3]
    standing, number = beginning(prompts).rsplit("\n", 1)
    for words in ("Write the answer", *CRITERIA, GUIDANCE, "tests: `sh test.sh`", "`TASK_STUCK: <reason>`"):
        assert words in standing
    assert number == "# Iteration ", "all that changes comes after it"

    requests = loop.asked(cli)
    assert len({json.dumps(entry.body["tools"]) for entry in requests}) == 1
    assert len({entry.system for entry in requests}) == 1
    firsts = [pieces(entry) for entry in requests if entry.turn == 0]
    assert len(firsts) == 4
    heads = [head(sent, standing) for sent in firsts]
    assert len(set(heads)) == 1, differing(heads)
    whole = ["".join(sent) for sent in firsts]
    print(
        f"\n{cli}: of {len(prompts[-1])} characters of the last prompt {len(standing)} are as in the first;"
        f" of {len(whole[-1])} of its request {len(heads[-1])}"
    )


def pieces(entry: Logged) -> list[str]:
    """The texts of a request in the order in which a provider's cache looks at them."""
    body = entry.body
    first = [json.dumps(body["tools"]), *_texts(body.get("system")), str(body.get("instructions", ""))]
    messages = body.get("messages") or body.get("input")
    return [*first, *(text for message in messages for text in _texts(message.get("content")))]


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [str(part.get("text", "")) for part in content] if isinstance(content, list) else []


def head(sent: list[str], standing: str) -> str:
    """All up to the end of the standing part, without what the CLI itself says of the tree."""
    at, text = next((n, text) for n, text in enumerate(sent) if standing in text)
    before = [text for text in sent[:at] if OF_THE_CLI not in text]
    return "".join([*before, text[: text.index(standing) + len(standing)]])


def beginning(texts: list[str]) -> str:
    """The longest with which all of them begin."""
    columns = enumerate(zip(*texts, strict=False))
    most = min(map(len, texts))
    return texts[0][: next((number for number, column in columns if len(set(column)) > 1), most)]


def differing(heads: list[str]) -> str:
    at = len(beginning(heads))
    return "\n".join(repr(text[max(0, at - 100) : at + 200]) for text in heads)
