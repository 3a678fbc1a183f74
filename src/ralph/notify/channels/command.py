"""`run:` a command of the user's, with the message as JSON on standard input."""

from __future__ import annotations

from pathlib import Path

from ralph.core.policy import NotifyPolicy
from ralph.notify.channel import Letter, as_json
from ralph.notify.news import News


class CommandChannel:
    def letter(self, policy: NotifyPolicy, news: News, folder: Path, env: dict[str, str]) -> Letter:
        env = env | {
            "RALPH_NOTIFY_OCCASION": news.occasion,
            "RALPH_NOTIFY_END": str(news.message["end"] or ""),
            "RALPH_NOTIFY_TITLE": news.title,
            "RALPH_NOTIFY_TEXT": news.text,
        }
        # Somebody is to be told also when the agent has removed the folder.
        cwd = folder if folder.is_dir() else Path("/")
        shell = ("/bin/sh", "-c", policy.run)
        return Letter(shell, as_json(news.message), env, cwd)


CHANNEL = CommandChannel()
