from post.message import Message


class Mailbox:
    def __init__(self, messages: list[Message]) -> None:
        self.messages = messages

    def search(self, words: str):
        raise NotImplementedError
