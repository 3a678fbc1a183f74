"""What a proof is made of: what gate runs and inspections found, and the evidence that an end rests on. Plain values."""

from typing import Literal

import msgspec

Degree = Literal["proven", "own-tests", "no-regression", "unverified"]

# How strong an end is, in the words of end lines and reports.
DEGREES: dict[Degree, str] = {
    "proven": "proven",
    "own-tests": "proven by its own tests only",
    "no-regression": "no regression",
    "unverified": "unverified",
}


_VARIANTS = {"original": "with the original inputs", "new-tests": "new tests on the starting code"}
_ENDINGS = {":again": "asked again", ":folder": "in the folder"}
PASS = ":pass-"  # in the name of an operation: one more pass, against chance


def run_words(op: str, variant: str) -> str:
    """How a run of a gate differs from the plain one; empty when it does not."""
    name, _, number = op.rpartition(PASS)
    words = (
        _VARIANTS.get(variant, ""),
        f"pass {number}" if name else "",
        next((word for end, word in _ENDINGS.items() if op.endswith(end)), ""),
    )
    return ", ".join(word for word in words if word)


class Contradiction(msgspec.Struct, frozen=True, omit_defaults=True):
    """A test of the start that ran on the claimed code and disagrees with it."""

    test: str
    was: str = ""  # what it expects, in its own words


class Account(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of the tests that ran at the start, test by test."""

    passed: int = 0
    obsolete: tuple[str, ...] = ()  # a name that they use is gone; a test of the same name passes
    contradicted: tuple[Contradiction, ...] = ()
    missing: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()  # at the start already

    @property
    def disagrees(self) -> bool:
        return bool(self.contradicted or self.missing)

    @property
    def total(self) -> int:
        return self.passed + len(self.obsolete) + len(self.contradicted) + len(self.missing)


class GamingFinding(msgspec.Struct, frozen=True, omit_defaults=True):
    """Code of the change that games its judge."""

    path: str
    line: int
    rule: str
    text: str

    @property
    def key(self) -> str:
        """What `allow` calls it."""
        return f"{self.path}::{self.rule}"

    @property
    def words(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


class GateEvidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one gate proves: what ran where, and what it said at the start and of the claim."""

    gate: str
    start: str  # red, green, flaky, unknown; of a reviewer: -
    claim: str  # green, red; of a reviewer: PASS, FAIL, no verdict
    where: Literal["checkout", "folder"] = "folder"
    hard: bool = True
    passes: int = 1  # how often it passed on the claimed tree
    tests: int = 0  # that ran on it, where the runner says
    originals: Account | None = None  # None: not told apart by test
    new_tests: int = 0  # tests of the change that were run on the starting code
    idle_tests: tuple[str, ...] = ()  # of them those that pass there, and so prove nothing
    unchecked: str = ""  # why tests were not told apart
    known_red: int = 0  # tests that fail as at the start, which is allowed
    fixed: int = 0  # tests that failed there and do not any more, where some still do
    hidden: bool = False  # its files were in no workspace
    unrecorded: bool = False  # it depends on files that git does not record


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an end rests on."""

    degree: Degree
    gates: tuple[GateEvidence, ...] = ()
    findings: tuple[GamingFinding, ...] = ()  # that someone allowed, or that are in doubt
    suppressions: tuple[str, ...] = ()  # new `noqa`, `type: ignore` and the like
    unread: tuple[str, ...] = ()  # code of the change that was not looked through, and why
    sandbox: str = "none"
