"""`run:` a command of the user's, with the message as JSON on standard input."""

from __future__ import annotations

from pathlib import Path

from ralph.core.policy import NotifyPolicy
from ralph.notify.channel import SendProcess, encode_message
from ralph.notify.notification import Notification


class CommandChannel:
    def process(
        self, policy: NotifyPolicy, notification: Notification, folder: Path, env: dict[str, str]
    ) -> SendProcess:
        env = env | {
            "RALPH_NOTIFY_OCCASION": notification.occasion,
            "RALPH_NOTIFY_END": str(notification.message["end"] or ""),
            "RALPH_NOTIFY_TITLE": notification.title,
            "RALPH_NOTIFY_TEXT": notification.text,
        }
        # The notification is sent also when the agent has removed the folder.
        cwd = folder if folder.is_dir() else Path("/")
        shell = ("/bin/sh", "-c", policy.run)
        return SendProcess(shell, encode_message(notification.message), env, cwd)


CHANNEL = CommandChannel()
