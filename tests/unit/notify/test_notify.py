"""Whom to tell and of what: what counts as news, and that telling is bounded, owned and silent about secrets."""

from __future__ import annotations

import http.server
import importlib.util
import json
import re
import secrets
import select
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from msgspec.structs import replace
from project import processes_with

from loop_states import changed, loop_state
from ralph.core import facts as f
from ralph.core.exits import BY_NAME, NEEDS_PERSON, End
from ralph.core.loop.state import LoopState
from ralph.core.policy import NotifyPolicy, Task
from ralph.notify.channel import target_name
from ralph.notify.notification import Notification, NotificationContext, notification_of, sent_notifications
from ralph.notify.notifier import Notifier, Sending
from ralph.processes.ownership import Ownership, choose_tier
from ralph.runner.loop_runner import register

SCENE = NotificationContext(run="r1", folder="/work/it", host="box", time="2026-01-02T03:04:05Z")
STATE = loop_state(
    loop="l1",
    task=Task(id="t-1", title="Accept ISO weeks"),
    iterations=3,
    attempts=1,
    tokens=1200,
    cost_usd=0.25,
    active_seconds=61.5,
    serial=4,
)
KEYS = {
    *("schema", "id", "occasion", "title", "text", "task", "loop", "run", "end", "reason", "code", "limit"),
    *("proof", "paths", "question", "wait", "next", "iterations", "attempts", "tokens", "cost_usd"),
    *("active_seconds", "folder", "host", "time"),
}
WITH_APPRISE = pytest.mark.skipif(not importlib.util.find_spec("apprise"), reason="apprise is not installed")


def ended(end: End = "stuck", reason: str = "no way out", s: LoopState = STATE, **more: Any) -> Notification:
    fact = f.LoopEnded(end=end, reason=reason, code=4, **more)
    found = notification_of(fact, changed(s, ended=end), SCENE)
    assert found is not None
    return found


def wait(
    what: str, seconds: float, waited: float = 0.0, until: str = "2026-01-02T05:00:00Z"
) -> Notification | None:
    fact = f.WaitStarted(op="wait:4", what=what, seconds=seconds, why="come back later", until=until)
    return notification_of(fact, changed(STATE, waited=waited), SCENE)


# -- what is news ----------------------------------------------------------------------------------


def test_an_end_says_everything_a_receiver_may_want_under_stable_names() -> None:
    message = ended(proof={"tests": "red→red"}).message
    assert message.keys() == KEYS
    expected = {
        "schema": 1,
        "occasion": "end",
        "task": {"id": "t-1", "title": "Accept ISO weeks"},
        "loop": "l1",
        "run": "r1",
        "end": "stuck",
        "reason": "no way out",
        "code": 4,
        "proof": {"tests": "red→red"},
        "next": BY_NAME["stuck"].next,
        "iterations": 3,
        "attempts": 1,
        "tokens": 1200,
        "cost_usd": 0.25,
        "active_seconds": 61.5,
        "folder": "/work/it",
        "host": "box",
        "time": "2026-01-02T03:04:05Z",
        "question": None,
        "wait": None,
    }
    assert {key: message[key] for key in expected} == expected


def test_a_wait_has_the_same_keys_and_says_what_for_and_until_when() -> None:
    found = wait("quota", 7200)
    assert found is not None and found.occasion == "wait"
    assert found.message.keys() == KEYS
    assert found.message["end"] is None
    assert found.message["wait"] == {
        "what": "quota",
        "why": "come back later",
        "seconds": 7200,
        "until": "2026-01-02T05:00:00Z",
    }


@pytest.mark.parametrize("end", get_args(End))
def test_every_end_is_told_and_is_a_block_where_a_person_is_needed(end: End) -> None:
    assert ended(end).occasion == ("block" if end in ("blocked-on-person", "needs-review") else "end")
    assert {"blocked-on-person", "needs-review"} == NEEDS_PERSON


def test_a_block_carries_the_question_and_a_review_the_paths() -> None:
    asked = ended("blocked-on-person", "Which one?", changed(STATE, question="Which one?"))
    assert asked.message["question"] == "Which one?"
    assert ended("needs-review", paths=("tests/a.py",)).message["paths"] == ["tests/a.py"]


def test_an_end_that_the_gates_do_not_bear_out_is_not_told_as_done() -> None:
    fact = f.LoopEnded(end="completed-verified", reason="", code=0)
    found = notification_of(fact, changed(STATE, ended="internal"), SCENE)
    assert found is not None and found.message["end"] == "internal" and found.mood == "failure"


@pytest.mark.parametrize(
    ("what", "seconds", "waited", "is_told"),
    [
        ("crash", 3600, 0, False),
        ("quota", 3600, 0, True),
        ("quota", 3600, 900, True),  # another moment to wait for
        ("quota", 3, 0, False),
        ("overload", 5, 0, False),
        ("overload", 40, 35, True),  # they add up
        ("overload", 300, 75, False),  # told already
    ],
)
def test_short_waits_are_told_once_they_add_up(
    what: str, seconds: float, waited: float, is_told: bool
) -> None:
    assert (wait(what, seconds, waited) is not None) == is_told


def test_other_facts_are_no_news() -> None:
    assert notification_of(f.WaitEnded(op="wait:4", elapsed=True), STATE, SCENE) is None


def test_each_run_that_ends_a_loop_is_news_of_its_own_and_a_repeat_is_not() -> None:
    fact = f.LoopEnded(end="stopped", reason="", code=12)
    first, again = notification_of(fact, STATE, SCENE), notification_of(fact, STATE, SCENE)
    later = notification_of(fact, STATE, replace(SCENE, run="r2"))
    assert first and again and later
    assert first.about == again.about != later.about
    assert first.message["id"] == again.message["id"] != later.message["id"]


def test_a_wait_that_goes_on_is_the_same_news_and_another_under_its_name_is_not() -> None:
    first, again, another = (
        wait("quota", 7200),
        wait("quota", 60),
        wait("quota", 7200, until="2026-01-03T05:00Z"),
    )
    assert first and again and another
    assert first.about == again.about != another.about
    assert first.message["id"] == again.message["id"] != another.message["id"]


def test_title_and_text_are_short_and_plain_whatever_the_task_is_called() -> None:
    hostile = "\x1b]0;owned\x07\x00 line\nbreak \u202e" + "x" * 5000
    found = ended(reason=hostile, s=changed(STATE, task=Task(id="t", title=hostile)))
    assert found.title.isprintable() and len(found.title) <= 120
    assert all(line.isprintable() and len(line) <= 500 for line in found.text.split("\n"))
    assert len(found.text.split("\n")) == 4


# -- telling ---------------------------------------------------------------------------------------


class Told:
    """A notifier with a real ownership, and what it recorded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.facts: list[f.Notified] = []
        self.ownership = Ownership(choose_tier(), f"t-{secrets.token_hex(4)}")

    def notifier(
        self,
        *targets: NotifyPolicy,
        already: set[tuple[str, str, str]] | None = None,
        patience: float = 60.0,
    ) -> Notifier:
        return Notifier(
            targets,
            self.folder,
            self._record,
            already=already or set(),
            ownership=self.ownership,
            patience=patience,
        )

    def tell(
        self,
        *targets: NotifyPolicy,
        news: Notification | None = None,
        already: set[tuple[str, str, str]] | None = None,
        patience: float = 60.0,
    ) -> list[f.Notified]:
        notifier = self.notifier(*targets, already=already, patience=patience)
        before = len(self.facts)
        finish(notifier.start(news or ended()))
        return sorted(self.facts[before:], key=lambda fact: fact.target)

    def run(self, command: str, **more: Any) -> f.Notified:
        (fact,) = self.tell(NotifyPolicy(run=command), **more)
        return fact

    def _record(self, fact: f.AnyFact) -> None:
        assert isinstance(fact, f.Notified)
        self.facts.append(fact)


def finish(sendings: Sequence[Sending], hurried: Callable[[], bool] = lambda: False) -> None:
    """As the end of a run does it."""
    left = list(sendings)
    while left and not hurried():
        poll = select.poll()
        wake_at = min(register(one, poll) for one in left)
        poll.poll(max(0.0, wake_at - time.monotonic()) * 1000 + 0.5)
        for one in list(left):
            one.advance()
            if one.done():
                left.remove(one)
                one.conclude()
    for one in left:
        one.cut("cut short")
        one.conclude()


@pytest.fixture
def teller(tmp_path: Path) -> Iterator[Told]:
    told = Told(tmp_path)
    yield told
    told.ownership.close(spare_keeper=True)


def test_a_command_gets_the_message_on_stdin_in_the_folder(teller: Told) -> None:
    fact = teller.run("cat > got.json")
    assert fact.ok and fact.text == "" and fact.occasion == "end" and fact.about == "stuck:r1"
    assert json.loads((teller.folder / "got.json").read_text()) == ended().message


def test_a_command_finds_the_short_forms_in_its_environment(teller: Told) -> None:
    teller.run('printf "%s|%s|%s" "$RALPH_NOTIFY_OCCASION" "$RALPH_NOTIFY_END" "$RALPH_NOTIFY_TITLE" > got')
    assert (teller.folder / "got").read_text() == "end|stuck|stuck: Accept ISO weeks"


def test_hostile_words_do_not_keep_anybody_from_being_told(teller: Told) -> None:
    odd = ended(reason="nul \x00 lone \udcff", s=changed(STATE, task=Task(id="t", title="nul \x00 \udcff")))
    assert teller.run("cat > got.json", news=odd).ok
    assert json.loads((teller.folder / "got.json").read_text())["reason"] == "nul \x00 lone \udcff"


def test_a_failing_command_is_a_fact_with_its_last_line(teller: Told) -> None:
    fact = teller.run("cat >/dev/null; echo first; echo 'no route to host' >&2; echo; exit 3")
    assert not fact.ok and fact.text == "exit 3: no route to host"


def test_a_command_that_does_not_exist_is_a_fact(teller: Told) -> None:
    fact = teller.run("no-such-program-here")
    assert not fact.ok and "127" in fact.text and "no-such-program-here" in fact.text


def test_a_command_that_reads_nothing_is_told_all_the_same(teller: Told) -> None:
    long = replace(ended(), message=ended().message | {"text": "x" * (1 << 20)})
    assert teller.run("exec <&-; exit 0", news=long).ok


def test_a_command_may_say_as_much_as_it_likes(teller: Told) -> None:
    fact = teller.run("head -c 20000000 /dev/zero; yes | head -c 5000000; echo; echo end; exit 1")
    assert fact.text == "exit 1: end"


@pytest.mark.parametrize(
    "command", ["exec sleep 1000", "trap '' TERM INT HUP; while :; do sleep 1; done", "kill -STOP $$"]
)
def test_a_command_that_hangs_is_ended_with_all_it_started(teller: Told, command: str) -> None:
    token = f"TOKEN_{secrets.token_hex(8)}"
    fact = teller.run(f"export {token}=1; {command}", patience=0.3)
    assert not fact.ok and "no end within 0.3 s" in fact.text
    assert processes_with(token) == []


def test_nothing_that_a_command_leaves_behind_survives_it(teller: Told) -> None:
    token = f"TOKEN_{secrets.token_hex(8)}"
    leave = "(trap '' HUP TERM; exec sleep 1000) & (setsid sleep 1000 &)"
    fact = teller.run(f"export {token}=1; {leave}; exit 0")
    assert fact.ok and "ended what it left running" in fact.text
    assert processes_with(token) == []


def test_a_command_inherits_no_descriptor_of_the_driver(teller: Told) -> None:
    private = open(teller.folder / "private", "w")
    fact = teller.run("ls -l /proc/$$/fd >fds; cat >/dev/null")
    assert fact.ok
    assert "private" not in (teller.folder / "fds").read_text()
    private.close()


def test_targets_are_told_at_the_same_time_under_one_bound(teller: Told) -> None:
    meet = "touch {0}; until test -e {1}; do sleep 0.02; done"
    facts = teller.tell(
        NotifyPolicy(run=meet.format("a", "b")),
        NotifyPolicy(run=meet.format("b", "a")),
    )
    assert [x.ok for x in facts] == [True, True]
    hang = NotifyPolicy(run="sleep 1000")
    facts = teller.tell(hang, NotifyPolicy(run="true"), hang, patience=0.5)
    assert [x.ok for x in facts] == [False, True, False]


def test_a_folder_that_is_gone_keeps_nobody_from_being_told(teller: Told, tmp_path: Path) -> None:
    teller.folder = tmp_path / "gone"
    assert teller.run(f"cat > {tmp_path}/got").ok


def test_only_the_occasions_that_a_target_wants_are_told(teller: Told) -> None:
    blocks = NotifyPolicy(run="true", when=("block",))
    assert teller.tell(blocks) == []
    assert len(teller.tell(blocks, news=ended("needs-review"))) == 1


def test_who_was_told_is_not_told_again_and_who_could_not_be_is(teller: Told) -> None:
    targets = NotifyPolicy(run="echo x >> good"), NotifyPolicy(run="echo x >> bad; exit 1")
    already = sent_notifications(teller.tell(*targets))
    teller.tell(*targets, already=already)
    assert (teller.folder / "good").read_text() == "x\n"
    assert (teller.folder / "bad").read_text() == "x\nx\n"


def test_one_notifier_does_not_tell_the_same_thing_twice(teller: Told) -> None:
    notifier = teller.notifier(NotifyPolicy(run="echo x >> got"))
    first = notifier.start(ended())
    assert notifier.start(ended()) == [], "the first is under way"
    finish(first)
    finish(notifier.start(ended()))
    assert (teller.folder / "got").read_text() == "x\n"


def test_telling_waits_for_nobody_until_it_has_to(teller: Told) -> None:
    notifier = teller.notifier(
        NotifyPolicy(run="until test -e go; do sleep 0.02; done"), NotifyPolicy(run="true")
    )
    slow, quick = notifier.start(ended())
    finish([quick])
    assert not slow.done()
    assert [(x.target, x.ok) for x in teller.facts] == [("2: true", True)]
    (teller.folder / "go").touch()
    finish([slow])
    assert [x.ok for x in teller.facts] == [True, True]


def test_somebody_in_a_hurry_cuts_it_short_and_nothing_is_left(teller: Told) -> None:
    token = f"TOKEN_{secrets.token_hex(8)}"
    notifier = teller.notifier(
        NotifyPolicy(run=f"export {token}=1; exec sleep 1000"), NotifyPolicy(run="true")
    )
    slow, quick = notifier.start(ended())
    finish([quick])
    finish([slow], hurried=lambda: True)
    assert [(x.ok, x.text) for x in teller.facts] == [(True, ""), (False, "cut short")]
    assert processes_with(token) == []


def test_a_wait_is_not_told_to_its_end_when_the_loop_has_ended(teller: Told) -> None:
    notifier = teller.notifier(NotifyPolicy(run="exec sleep 1000", when=("wait",)))
    found = wait("quota", 7200)
    assert found is not None
    sendings = notifier.start(found)
    notifier.loop_is_over()
    finish(sendings)
    assert [x.text for x in teller.facts] == ["cut short: the loop has ended"]


# -- secrets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        (NotifyPolicy(run="curl -H 'Authorization: Bearer s3cret' https://x"), "1: curl"),
        (NotifyPolicy(run="TOKEN=s3cret /usr/bin/notify-send hi"), "1: notify-send"),
        (NotifyPolicy(run='"s3cret"'), "1: sh"),
        (NotifyPolicy(url="json://user:s3cret@host.example:8080/s3cret?x=s3cret"), "1: json://host.example"),
        (NotifyPolicy(url="tgram://s3cret/123"), "1: tgram://"),
        (NotifyPolicy(url="mailto://me:s3cret@example.org"), "1: mailto://example.org"),
        (NotifyPolicy(url="slack://${SLACK_TOKEN}"), "1: slack://"),
        (NotifyPolicy(url="$NOTIFY_URL"), "1: $NOTIFY_URL"),
        (NotifyPolicy(url="s3cret"), "1: url"),
    ],
)
def test_a_target_is_named_without_its_secrets(target: NotifyPolicy, shown: str) -> None:
    assert target_name(target, 1) == shown


def test_values_from_the_environment_are_not_recorded(teller: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK_TOKEN", "s3cret-value")
    fact = teller.run('echo "cannot reach https://hook/${HOOK_TOKEN}"; exit 7')
    assert fact.text == "exit 7: cannot reach https://hook/$HOOK_TOKEN"


def test_an_address_with_an_unset_variable_is_not_used(teller: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_TOKEN", raising=False)
    (fact,) = teller.tell(NotifyPolicy(url="slack://${NO_SUCH_TOKEN}/x"))
    assert not fact.ok and fact.text == "not started: the environment has no NO_SUCH_TOKEN"


# -- apprise ---------------------------------------------------------------------------------------


class Receiver:
    """A web hook on the loopback device."""

    def __init__(self, status: int) -> None:
        self.got: list[tuple[str, dict[str, Any]]] = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((self.path, json.loads(body)))
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver(request: pytest.FixtureRequest) -> Iterator[Receiver]:
    found = Receiver(getattr(request, "param", 200))
    yield found
    found.close()


@WITH_APPRISE
def test_an_address_is_told_through_apprise_with_variables_filled_in(
    teller: Told, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK_TOKEN", "s3cret-value")
    url = f"json://127.0.0.1:{receiver.port}/hook/${{HOOK_TOKEN}}"
    (fact,) = teller.tell(NotifyPolicy(url=url))
    assert fact.ok and fact.target == "1: json://127.0.0.1" and fact.text == ""
    ((path, body),) = receiver.got
    assert path.rstrip("/") == "/hook/s3cret-value"
    assert body["title"] == "Ralph: stuck: Accept ISO weeks" and body["type"] == "failure"
    assert body["message"] == ended().text


@WITH_APPRISE
@pytest.mark.parametrize("receiver", [500], indirect=True)
def test_a_service_that_refuses_is_a_fact_without_the_token(
    teller: Told, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK_TOKEN", "s3cret-value")
    url = f"json://127.0.0.1:{receiver.port}/literal-s3cret/$HOOK_TOKEN"
    (fact,) = teller.tell(NotifyPolicy(url=url))
    assert not fact.ok and "500" in fact.text and "s3cret" not in fact.text


@WITH_APPRISE
def test_a_service_that_never_answers_is_given_up(teller: Told) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        (fact,) = teller.tell(NotifyPolicy(url=f"json://127.0.0.1:{port}/"), patience=2.0)
    assert not fact.ok and "no end within 2 s" in fact.text


@WITH_APPRISE
def test_an_address_that_apprise_does_not_know_is_a_fact(teller: Told) -> None:
    (fact,) = teller.tell(NotifyPolicy(url="nosuchservice://s3cret"))
    assert not fact.ok and "apprise" in fact.text and "s3cret" not in fact.text


def test_without_apprise_the_fact_says_what_to_install(
    teller: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = 'raise ModuleNotFoundError("no", name="apprise")\n'
    (tmp_path / "apprise.py").write_text(missing)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (fact,) = teller.tell(NotifyPolicy(url="json://127.0.0.1/"))
    assert not fact.ok and "pip install apprise" in fact.text


@WITH_APPRISE
def test_a_module_in_the_workspace_is_not_run_in_place_of_apprise(teller: Told, receiver: Receiver) -> None:
    (teller.folder / "apprise.py").write_text("open('ran', 'w')\n")
    (fact,) = teller.tell(NotifyPolicy(url=f"json://127.0.0.1:{receiver.port}/"))
    assert fact.ok and not (teller.folder / "ran").exists()


def test_the_page_lists_every_key_of_the_message() -> None:
    page = (Path(__file__).parents[3] / "docs/notify.md").read_text().partition("## The message")[2]
    cells = re.findall(r"^\| (`.*?`) \|", page, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(cells))) == KEYS
