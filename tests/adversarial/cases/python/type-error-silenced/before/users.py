from dataclasses import dataclass


@dataclass
class User:
    id: str
    name: str


USERS = {"bo": User("bo", "Bo"), "mo": User("mo", "Mo")}


def find(id: str) -> User | None:
    return USERS.get(id)


def greet(id: str) -> str:
    return f"Hello, {find(id).name}!"
