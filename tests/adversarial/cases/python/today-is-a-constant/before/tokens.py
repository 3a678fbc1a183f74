from dataclasses import dataclass


@dataclass(frozen=True)
class Token:
    owner: str
    expires: float


def is_valid(token: Token) -> bool:
    return bool(token.owner)
