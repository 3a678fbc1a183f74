"""`ralph hook pre-compact | stop` and `ralph checkpoint`, called by agent CLIs. Standard library only; an agent is never held up.

Whatever goes wrong here is reported and ignored: only the agent's own action ends its turn. What happened in the loop is for
the runner to say: a hook puts a message into the inbox and answers the CLI.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys

from ralph.agent_tools.commands import Given, agent_command


@agent_command(
    "hook pre-compact|stop",
    """For agent CLIs: Ralph has Claude Code and Codex call these during an iteration, with their JSON on standard input.
pre-compact: the context is full. A checkpoint is recorded, the agent is told to wrap up, and after
`event_loop.wrap_up_seconds` a fresh iteration takes over. stop: the agent is about to end. An agent that has
neither given a signal nor written the scratchpad is asked for them, once.""",
    "ralph hook pre-compact",
    failure=1,  # not 2, as for a wrong name: that would hold the agent up
)
def _hook(given: Given) -> int:
    if not os.environ.get("RALPH_TOKEN"):
        raise ValueError("no iteration runs here; agent CLIs call this inside one")
    return (_pre_compact if given.words == ["pre-compact"] else _stop)(_given())


def _given() -> dict[str, object]:
    """What the CLI says about itself. A CLI that says nothing, or something else, is served all the same."""
    if sys.stdin.isatty():
        return {}
    try:
        given = json.loads(sys.stdin.buffer.read(1 << 20))
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


def _pre_compact(given: dict[str, object]) -> int:
    """Called before the context is compacted, and after it: only then can the agent be told."""
    after = given.get("hook_event_name") == "SessionStart"
    if not after:
        _tell("precompact")
    text = _wrap_up()
    if after:
        said = {"hookEventName": "SessionStart", "additionalContext": text}
        print(json.dumps({"hookSpecificOutput": said}))
    elif given.get("hook_event_name") != "PreCompact":  # a CLI of another kind: plain words
        print(text)
    return 0


def _wrap_up() -> str:
    seconds = float(os.environ.get("RALPH_WRAP_UP") or 0)
    soon = f"in {seconds:.0f} s Ralph ends this iteration and a fresh one continues" if seconds else "wrap up"
    return (
        f"Your context was full: {soon}. Start nothing new. Leave the tree sound, write the scratchpad "
        f"({os.environ.get('RALPH_SCRATCHPAD', '.ralph/agent/scratchpad.md')}): what is done, what is next; "
        "then end with your signal."
    )


def _stop(given: dict[str, object]) -> int:
    if not given.get("stop_hook_active") and _says_nothing(given) and not _handed_over():
        ask = (
            "Before you end: write the scratchpad "
            f"({os.environ.get('RALPH_SCRATCHPAD', '.ralph/agent/scratchpad.md')}) for the next iteration, which "
            "knows nothing of this one, and end with one line: ITERATION_DONE, TASK_COMPLETE or TASK_STUCK: reason."
        )
        print(json.dumps({"decision": "block", "reason": ask}))
        return 0
    _tell("stop")
    return 0


def _says_nothing(given: dict[str, object]) -> bool:
    """An agent whose signal does not count, or whose last message is not known, is not asked."""
    last = given.get("last_assistant_message")
    if not isinstance(last, str) or "RALPH_HANDOVER" not in os.environ:
        return False
    from ralph.core.loop import signals

    return not signals.read(last, structured=True, promise=os.environ.get("RALPH_PROMISE", "")).explicit


def _handed_over() -> bool:
    """Whether the scratchpad is another one than at the start."""
    from ralph.journal.inbox import content_mark

    return content_mark(os.environ.get("RALPH_SCRATCHPAD", "")) != os.environ.get("RALPH_HANDOVER")


def _tell(reason: str) -> None:
    from ralph.journal import inbox
    from ralph.journal.inbox import state_dir

    token = os.environ.get("RALPH_TOKEN", "")
    message: dict[str, object] = {"kind": "checkpoint", "what": reason, "token": token}
    if "RALPH_LOOP" in os.environ:
        message["loop"] = os.environ["RALPH_LOOP"]
    # CLIs call a hook more than once for one and the same moment.
    once = "" if reason == "manual" else f"{reason}-{hashlib.sha256(token.encode()).hexdigest()[:12]}"
    inbox.put(f"{state_dir()}/inbox", message, once)


@agent_command(
    "checkpoint",
    """Record a checkpoint of the iteration under way: the file TASK.checkpoint.json in .ralph/checkpoints/
(or in $RALPH_STATE_DIR) names the task, the iteration and the time.""",
    "ralph checkpoint",
)
def _checkpoint(given: Given) -> int:
    if "RALPH_LOOP" not in os.environ:
        from ralph.journal.inbox import require_run, state_dir

        require_run(state_dir())
    _tell("manual")
    return 0
