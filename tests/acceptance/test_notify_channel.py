"""A channel that somebody else has written, in a package of its own, tells people of a real run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from project import Project

from ralph.core.policy import NotifyPolicy
from ralph.notify import channel as registry
from ralph.notify import channels

PIGEON = """\
import json, os, sys
from pathlib import Path


class Pigeon:
    def process(self, policy, notification, folder, env):
        from ralph.notify.channel import SendProcess, encode_message

        to = policy.url.partition("://")[2]
        message = encode_message({"to": to, "news": notification.message})
        return SendProcess((sys.executable, "-m", "pigeon"), message, env, Path("/"))


CHANNEL = Pigeon()

if __name__ == "__main__":
    process = json.load(sys.stdin)
    if process["to"] == "lost":
        sys.exit("no pigeon flies to lost-and-found")
    Path(os.environ["HOME"], "flown").write_text(json.dumps(process))
"""


def install(folder: Path, code: str) -> dict[str, str]:
    """As a package installer would, into a folder of its own."""
    about = folder / "pigeon-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: pigeon\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[ralph.notify]\npigeon = pigeon:CHANNEL\n")
    (folder / "pigeon.py").write_text(code)
    return {"PYTHONPATH": str(folder)}


def notify(project: Project, url: str) -> None:
    project.config((project.path / "ralph.yml").read_text() + f"notify: [{{url: '{url}'}}]\n")
    project.commit("notify")


def test_an_installed_channel_tells_of_an_end(project: Project) -> None:
    env = install(project.path.parent / "site", PIGEON)
    notify(project, "pigeon://home/loft")
    assert project.ralph("run", env=env).returncode == 0
    (fact,) = project.facts("notified")
    assert fact["ok"] and fact["target"] == "1: pigeon://"
    flown = json.loads((project.path.parent / "home/flown").read_text())
    assert flown["to"] == "home/loft" and flown["news"]["end"] == "completed-verified"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (PIGEON, "exit 1: no pigeon flies to ***-and-found"),
        ("raise RuntimeError('no pigeons at lost')", "not started: no pigeons at ***"),
        ("", "not started: module 'pigeon' has no attribute 'CHANNEL'"),
    ],
    ids=["told in vain", "not loaded", "not there"],
)
def test_a_channel_that_fails_is_a_fact_and_changes_nothing(project: Project, code: str, said: str) -> None:
    env = install(project.path.parent / "site", code)
    notify(project, "pigeon://lost")
    assert project.ralph("run", env=env).returncode == 0
    (fact,) = project.facts("notified")
    assert not fact["ok"] and fact["text"] == said


def test_a_file_among_the_channels_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "drum.py").write_text("CHANNEL = 'the drum'\n")
    monkeypatch.setattr(channels, "__path__", [*channels.__path__, str(tmp_path)])

    def of(env: dict[str, str] | None = None, **target: str) -> str:
        channel = registry.channel_of(NotifyPolicy(**target), env or {})
        return channel if isinstance(channel, str) else type(channel).__name__

    assert of(url="drum://hill") == "the drum" == of({"WHOM": "drum://hill"}, url="$WHOM")
    assert of(url="slack://a/b") == "Apprise" == of(url="command://a") == of(url="$WHOM")
    assert of(run="drum") == "CommandChannel"
