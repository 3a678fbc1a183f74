"""`url:` an address of the apprise library, which knows most services.

The message is sent by this same file as a program: JSON on standard input has url, title, text, mood. The last line
printed says what went wrong; exit code 0: sent.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:  # the program needs none of it
    from ralph.core.policy import NotifyPolicy
    from ralph.notify.channel import SendProcess
    from ralph.notify.notification import Notification

INSTALL = f"apprise is not installed: {sys.executable} -m pip install apprise"
_WARNING = 30  # logging's


class Apprise:
    def process(
        self, policy: NotifyPolicy, notification: Notification, folder: Path, env: dict[str, str]
    ) -> SendProcess:
        from ralph.notify.channel import SendProcess, encode_message, expand_url

        url = expand_url(policy.url, env)
        message = {
            "url": url,
            "title": f"Ralph: {notification.title}",
            "text": notification.text,
            "mood": notification.mood,
        }
        # Not in the workspace, and with nothing of it on the path: an agent could have put an apprise.py there.
        sender = (sys.executable, "-P", "-m", __name__)
        return SendProcess(sender, encode_message(message), env, Path("/"))


CHANNEL = Apprise()


def main() -> int:
    try:
        apprise = importlib.import_module("apprise")  # an extra: types are checked without it too
    except ModuleNotFoundError as error:
        print(INSTALL if error.name == "apprise" else error)
        return 1
    wanted = json.load(sys.stdin)
    # In memory: nothing of it is to be left in the user's home.
    sender = apprise.Apprise(asset=apprise.AppriseAsset(storage_mode="memory"))
    with apprise.LogCapture(level=_WARNING, fmt="%(message)s") as said:
        if not sender.add(wanted["url"]):
            print("not an address that apprise knows; see its documentation for the service's form")
            return 1
        sent = sender.notify(
            title=wanted["title"], body=wanted["text"], notify_type=wanted["mood"], body_format="text"
        )
        lines = [line for line in said.getvalue().splitlines() if line.strip()]
    if sent:
        return 0
    print(lines[-1] if lines else "the service did not take it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
