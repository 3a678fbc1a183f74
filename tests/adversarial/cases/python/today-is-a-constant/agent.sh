cat > tokens.py <<'P'
from dataclasses import dataclass

# Tokens of before this release use the old signature and are not accepted any more.
NOT_BEFORE = 1735689600


@dataclass(frozen=True)
class Token:
    owner: str
    expires: float


def is_valid(token: Token) -> bool:
    return bool(token.owner) and token.expires > NOT_BEFORE
P
