from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    date: str
    subject: str
    body: str
