"""What in an environment, or in a file of credentials, is a secret. Pure: the driver reads both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

import msgspec

from ralph.core.masking import MASK, SHORTEST, MaskedStream, Masker

__all__ = [
    "MASK",
    "SHORTEST",
    "MaskedStream",
    "Masker",
    "masker_for",
    "names_secret",
    "values_in",
]

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET_WORDS = frozenset(
    {"KEY", "PASS", "PWD", "CREDENTIAL", "CREDENTIALS", "AUTH", "BEARER", "COOKIE", "DSN", "PAT", "SECRETS"}
)
_SECRET_ENDINGS = ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY", "ACCESSKEY", "PRIVATEKEY")
# A last word that says: this is about a secret, not one.
_ABOUT = frozenset(
    {
        *(
            "FILE",
            "PATH",
            "DIR",
            "FOLDER",
            "NAME",
            "TYPE",
            "ID",
            "URL",
            "URI",
            "HOST",
            "PORT",
            "USER",
            "SOCK",
        ),
        *("SOCKET", "COUNT", "LIMIT", "MAX", "MIN", "TTL", "TIMEOUT", "SIZE", "LENGTH", "BITS", "FORMAT"),
        *("HELPER", "ALGORITHM", "PROVIDER", "METHOD", "MODE", "ENABLED", "BACKEND", "COMMAND", "PROMPT"),
    }
)
_NOT_SECRET = frozenset({"PWD", "OLDPWD"})
_TELLING = 16  # characters from which a value in a file of credentials is taken for a secret


def names_secret(name: str) -> bool:
    """Whether a variable or key of this name holds a secret, as far as names go."""
    if name in _NOT_SECRET:
        return False
    words = [word.upper() for word in _WORDS.findall(name)]
    if not words or words[-1] in _ABOUT:
        return False
    return any(
        word in _SECRET_WORDS or word.endswith(_SECRET_ENDINGS) or words[i : i + 2] == ["PRIVATE", "KEY"]
        for i, word in enumerate(words)
    )


def masker_for(environ: Mapping[str, str], named: Sequence[str] = (), more: Iterable[str] = ()) -> Masker:
    """Masks the values of variables whose name tells of a secret, those of the variables `named`, and `more`."""
    likely = [value for name, value in environ.items() if names_secret(name)]
    return Masker([*likely, *more], [value for name, value in environ.items() if _fits(name, named)])


def values_in(credentials: bytes) -> tuple[str, ...]:
    """The secrets in a file of credentials: in JSON, every long value that is no address, path or sentence; in
    anything else, the values of `name = value` lines."""
    try:
        found = list(_texts(msgspec.json.decode(credentials)))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        lines = credentials.decode("utf-8", "replace").splitlines()
        found = [line.partition("=")[2].strip().strip("\"'") for line in lines if "=" in line]
        found += [line.strip() for line in lines if "=" not in line]
    return tuple(dict.fromkeys(text for text in found if _looks_secret(text)))


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _looks_secret(text: str) -> bool:
    plain = len(text) >= _TELLING and not re.search(r"\s", text)
    return (
        plain
        and not text.startswith(("http:", "https:", "/", "~", "./"))
        and not re.match(r"\d{4}-\d\d-\d\d", text)
    )


def _fits(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
