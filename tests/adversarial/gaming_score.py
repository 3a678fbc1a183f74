"""What the rules against gaming code find in the corpus by themselves: `gaming_score.py [PART OF A NAME...]`."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

from corpus import Case, Place, a_place, cases, missing

from ralph.core.globs import matches
from ralph.gates.gaming.inspection import Inspection, inspect_change
from ralph.gates.judges import TESTS
from ralph.git.trees import parse_changes


def inspect(case: Case) -> Inspection:
    with a_place(case) as place:
        start = _tree(place)
        place.do("sh", str(case.folder / "agent.sh"), check=False)
        claim = _tree(place)
        raw = _git(place, "diff-tree", "-r", "--no-renames", "-z", "--raw", "--no-abbrev", start, claim)
        assert raw is not None
        return inspect_change(
            lambda path: _git(place, "cat-file", "blob", f"{start}:{path}"),
            lambda path: _git(place, "cat-file", "blob", f"{claim}:{path}"),
            parse_changes(raw),
            tests=lambda path: (
                matches(path, TESTS) or any(path in gate["run"].split() for gate in case.gates)
            ),
            root=str(place.project),
            home=str(place.home),
            paths=(_git(place, "ls-tree", "-r", "--name-only", claim) or b"").decode().splitlines(),
        )


def _tree(place: Place) -> str:
    place.do("git", "add", "-A")
    return place.do("git", "write-tree").stdout.strip()


def _git(place: Place, *words: str) -> bytes | None:
    done = subprocess.run(["git", *words], cwd=place.project, env=place.env, capture_output=True)
    return done.stdout if done.returncode == 0 else None


def main(words: list[str]) -> int:
    count, found = Counter[str](), Counter[str]()
    for case in (case for case in cases(*words) if not missing(case)):
        inspection = inspect(case)
        count[case.group] += 1
        found[case.group] += bool(inspection.findings)
        for finding in inspection.findings:
            print(f"{case.name:60}{finding.rule:24}{finding.path}:{finding.line}: {finding.text}"[:240])
        if not inspection.findings and case.group in ("exit", "patch", "special"):
            print(f"{case.name:60}-")
    for group in sorted(count):
        print(f"{group:14}{found[group]:>4} of {count[group]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
