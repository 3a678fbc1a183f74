"""Consecutive releases of real projects, as honest changes: each pair is a start and a claim that no rule should refuse.

`python tests/adversarial/releases.py fetch` downloads them by pip and npm into a cache outside the repository (minutes);
`python tests/adversarial/releases.py gaming [PART OF A NAME...]` prints what the rules against gaming code find in each pair;
`python tests/adversarial/releases.py play [PART OF A NAME...]` puts pairs to Ralph, with the project's tests as the gate: each
once as it is, and once with the new tests in the starting tree, "make these tests pass", where the old code fails them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise, product
from pathlib import Path
from typing import Literal

import msgspec
from corpus import IGNORED, Case, Outcome, a_place
from corpus import play as put_to_ralph

from ralph.core.globs import matches
from ralph.core.proof import DEGREES, Evidence, GamingFinding
from ralph.gates.gaming.inspection import Inspection, inspect_change
from ralph.gates.judges import TESTS
from ralph.git.trees import Change, Status

# Oldest first. Sdists hold the tests; of the npm packs those of the first group do.
PYPI: Mapping[str, tuple[str, ...]] = {
    "attrs": ("22.2.0", "23.1.0", "23.2.0", "24.1.0", "24.2.0", "25.1.0", "25.3.0"),
    "cachetools": ("4.2.4", "5.0.0", "5.2.0", "5.3.0", "5.3.3", "5.4.0", "5.5.0"),
    "click": ("8.1.3", "8.1.4", "8.1.6", "8.1.7", "8.1.8", "8.2.0", "8.2.1"),
    "flask": ("2.2.5", "2.3.0", "2.3.2", "2.3.3", "3.0.0", "3.0.3", "3.1.0"),
    "jinja2": ("3.0.3", "3.1.0", "3.1.2", "3.1.3", "3.1.4", "3.1.5", "3.1.6"),
    "marshmallow": ("3.19.0", "3.20.0", "3.20.2", "3.21.0", "3.22.0", "3.23.0", "3.26.0"),
    "more-itertools": ("9.0.0", "9.1.0", "10.0.0", "10.1.0", "10.2.0", "10.4.0", "10.6.0"),
    "packaging": ("21.3", "22.0", "23.0", "23.1", "23.2", "24.0", "24.2"),
    "requests": ("2.27.1", "2.28.0", "2.28.2", "2.29.0", "2.31.0", "2.32.0", "2.32.3"),
    "sqlparse": ("0.4.1", "0.4.2", "0.4.3", "0.4.4", "0.5.0", "0.5.1", "0.5.3"),
    "werkzeug": ("2.2.3", "2.3.0", "2.3.4", "2.3.7", "3.0.0", "3.0.3", "3.1.0"),
}
NPM: Mapping[str, tuple[str, ...]] = {
    "fastify": ("4.20.0", "4.22.0", "4.24.0", "4.26.0", "4.28.0"),
    "object-inspect": ("1.11.0", "1.12.0", "1.12.2", "1.13.0", "1.13.2"),
    "pino": ("8.14.0", "8.16.0", "8.18.0", "8.20.0", "9.0.0"),
    "qs": ("6.10.0", "6.11.0", "6.12.0", "6.13.0", "6.14.0"),
    "resolve": ("1.20.0", "1.22.0", "1.22.4", "1.22.8", "1.22.10"),
    "ajv": ("8.8.0", "8.10.0", "8.11.0", "8.12.0", "8.17.1"),
    "axios": ("1.4.0", "1.5.0", "1.6.0", "1.7.0", "1.8.0"),
    "commander": ("9.5.0", "10.0.0", "11.0.0", "12.0.0", "13.0.0"),
    "debug": ("4.1.0", "4.2.0", "4.3.0", "4.3.4", "4.4.0"),
    "express": ("4.17.1", "4.18.0", "4.18.2", "4.19.0", "4.21.0"),
    "semver": ("7.3.8", "7.4.0", "7.5.0", "7.6.0", "7.7.0"),
    "yargs": ("16.2.0", "17.0.0", "17.3.0", "17.5.0", "17.7.2"),
}
SIZE = 3_000_000  # bytes of a file that is read


class Suite(msgspec.Struct, frozen=True):
    """How a project's tests are run, in a repository that shares an installation of what they need."""

    run: str
    needs: tuple[str, ...]


_PYTEST = "PYTHONPATH=src .venv/bin/python -m pytest -q"
_NPM = (
    *(
        "tape@5",
        "for-each",
        "has-symbols",
        "mock-property",
        "object-inspect",
        "safer-buffer",
        "es-value-fixtures",
    ),
    *(
        "error-cause",
        "functions-have-names",
        "has-tostringtag",
        "make-arrow-function",
        "string.prototype.repeat",
    ),
    *(
        "globalthis",
        "core-js@2",
        "iconv-lite@0.5",
        "qs-iconv",
        "has-override-mistake",
        "has-property-descriptors",
    ),
    *("has-bigints", "has-proto", "side-channel"),
)
# Those whose tests are quick and need no network. pytest 7 runs the tests of all these years.
SUITES: Mapping[str, Suite] = {
    "cachetools": Suite(_PYTEST, ("pytest<8",)),
    "click": Suite(f"{_PYTEST} --deselect tests/test_utils.py::test_echo_via_pager", ("pytest<8",)),
    "jinja2": Suite(_PYTEST, ("pytest<7.2", "markupsafe", "trio")),
    # One test asks for the version of the installed package, and it is not installed.
    "marshmallow": Suite(
        f"{_PYTEST} --deselect tests/test_version_attributes.py", ("pytest<8", "simplejson", "pytz")
    ),
    "more-itertools": Suite(_PYTEST, ("pytest<8",)),
    "sqlparse": Suite(_PYTEST, ("pytest<8",)),
    "object-inspect": Suite("node_modules/.bin/tape 'test/*.js'", _NPM),
    "qs": Suite("node_modules/.bin/tape 'test/**/*.js'", _NPM),
}
PATIENCE = 3600  # seconds for one play


class Release(msgspec.Struct, frozen=True):
    registry: Literal["pypi", "npm"]
    name: str
    version: str

    @property
    def folder(self) -> Path:
        return cache() / self.registry / self.name / self.version


class Step(msgspec.Struct, frozen=True):
    """From one release to the next."""

    old: Release
    new: Release

    @property
    def name(self) -> str:
        return f"{self.old.registry}/{self.old.name} {self.old.version} -> {self.new.version}"


def cache() -> Path:
    place = os.environ.get("RALPH_RELEASES")
    return Path(place) if place else Path(tempfile.gettempdir()) / f"ralph-releases-{os.getuid()}"


def steps(*parts: str) -> list[Step]:
    """All of them, or those whose names have one of these parts."""
    found = []
    tables: tuple[tuple[Literal["pypi", "npm"], Mapping[str, tuple[str, ...]]], ...] = (
        ("pypi", PYPI),
        ("npm", NPM),
    )
    for registry, table in tables:
        for name, versions in table.items():
            releases = [Release(registry, name, version) for version in versions]
            found += [Step(old, new) for old, new in pairwise(releases)]
    return [step for step in found if not parts or any(part in step.name for part in parts)]


def fetch(releases: Iterable[Release]) -> None:
    for release in releases:
        if release.folder.is_dir():
            continue
        with tempfile.TemporaryDirectory(prefix="ralph-release-") as name:
            done = subprocess.run(_command(release), cwd=name, capture_output=True, text=True)
            archives = [path for path in Path(name).iterdir() if path.name.endswith((".tar.gz", ".tgz"))]
            if done.returncode or len(archives) != 1:
                print(f"not fetched: {release.name} {release.version}\n{done.stderr[-500:]}", file=sys.stderr)
                continue
            unpacked = Path(name, "unpacked")
            with tarfile.open(archives[0]) as archive:
                archive.extractall(unpacked, filter="data")
            release.folder.parent.mkdir(parents=True, exist_ok=True)
            (top,) = unpacked.iterdir()
            shutil.move(top, release.folder)


def _command(release: Release) -> list[str]:
    if release.registry == "npm":
        return ["npm", "pack", "--silent", f"{release.name}@{release.version}"]
    options = ("--quiet", "--no-deps", "--no-binary", ":all:", "--dest", ".")
    return [sys.executable, "-m", "pip", "download", *options, f"{release.name}=={release.version}"]


def changes(step: Step) -> list[Change]:
    old, new = _files(step.old.folder), _files(step.new.folder)
    found = []
    for path in sorted({*old, *new}):
        if path not in old or path not in new:
            status: Status = "A" if path in new else "D"
        elif old[path].read_bytes() != new[path].read_bytes():
            status = "M"
        else:
            continue
        found.append(Change(path, status, "100644" if path in old else "", "100644" if path in new else ""))
    return found


def _files(folder: Path) -> dict[str, Path]:
    return {
        str(path.relative_to(folder)): path
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and path.stat().st_size < SIZE
    }


def read(folder: Path, path: str) -> bytes | None:
    file = folder / path
    return file.read_bytes() if file.is_file() else None


def inspect(step: Step) -> Inspection:
    return inspect_change(
        lambda path: read(step.old.folder, path),
        lambda path: read(step.new.folder, path),
        changes(step),
        tests=lambda path: matches(path, TESTS),
        root="/nowhere/project",
        home="/nowhere/home",
        paths=list(_files(step.new.folder)),
    )


def gaming(*parts: str) -> Iterator[tuple[Step, Inspection, float]]:
    for step in steps(*parts):
        if step.old.folder.is_dir() and step.new.folder.is_dir():
            began = time.monotonic()
            yield step, inspect(step), time.monotonic() - began


def _shown(finding: GamingFinding) -> str:
    return f"    {finding.rule:24}{finding.path}:{finding.line}: {finding.text}"


# -- putting them to Ralph ---------------------------------------------------------------------------------------------

Start = Literal["as it was", "with the new tests"]
_KEPT = (
    ".git",
    ".gitignore",
    "ralph.yml",
    "node_modules",
    ".venv",
)  # by the agent that brings the new release
_OF_ARCHIVES = (
    "PKG-INFO",
    "*.egg-info",
    ".gitignore",
    ".gitattributes",
)  # in no repository, or not as it is here


def install(release: Release) -> Path:
    """What the tests of this project need, once for all of its releases."""
    place = cache() / "installed" / release.name
    if place.is_dir():
        return place
    needs = SUITES[release.name].needs
    with tempfile.TemporaryDirectory(prefix="installing-", dir=cache()) as name:
        made = Path(name, "made")
        made.mkdir()
        if release.registry == "npm":
            (made / "package.json").write_text("{}")
            _do("npm", "install", "--silent", "--no-audit", "--no-fund", *needs, cwd=made)
        else:
            python = made / ".venv/bin/python"
            _do(sys.executable, "-m", "venv", "--without-pip", ".venv", cwd=made)
            _do(sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", *needs, cwd=made)
        place.parent.mkdir(exist_ok=True)
        made.rename(place)
    return place


def _do(*words: str, cwd: Path) -> None:
    subprocess.run(words, cwd=cwd, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def a_case(step: Step, start: Start) -> Iterator[Case]:
    """The step as a case of the corpus."""
    suite = SUITES[step.old.name]
    shared = "node_modules" if step.old.registry == "npm" else ".venv"
    with tempfile.TemporaryDirectory(prefix="ralph-release-") as name:
        folder = Path(name)
        before, after = folder / "before", folder / "after"
        for release, place in ((step.old, before), (step.new, after)):
            shutil.copytree(release.folder, place, ignore=shutil.ignore_patterns(*_OF_ARCHIVES))
        if start == "with the new tests":
            _replace_tests(before, after)
        shutil.copytree(install(step.old) / shared, before / shared, symlinks=True)
        (before / ".gitignore").write_text(f"{IGNORED}.venv/\n")
        kept = " ".join(f"! -name {name}" for name in _KEPT)
        (folder / "agent.sh").write_text(
            f"find . -mindepth 1 -maxdepth 1 {kept} -exec rm -rf {{}} +\ncp -R '{after}'/. .\n"
        )
        green = start == "as it was"
        yield Case(
            kind="honest",
            group="honest",
            why="a release of a real project",
            task=f"Bring {step.new.name} to {step.new.version}" if green else "Make the failing tests pass",
            gates=[{"name": "tests", "run": suite.run}],
            config={"share": [shared]},
            start="green" if green else "red",
            name=f"{step.name} {start}",
            folder=folder,
        )


def _replace_tests(before: Path, after: Path) -> None:
    for folder in ("tests", "test"):
        shutil.rmtree(before / folder, ignore_errors=True)
        if (after / folder).is_dir():
            shutil.copytree(after / folder, before / folder)


def play(step: Step, start: Start) -> Outcome | None:
    """What Ralph makes of it; None: the old release passes the new tests, or hangs in them, so that there is no task."""
    with a_case(step, start) as case:
        if case.start == "red" and not _is_red(case):
            return None
        return put_to_ralph(case, patience=PATIENCE)


def _is_red(case: Case) -> bool:
    with a_place(case) as place:
        try:
            return not place.gates()[0]
        except subprocess.TimeoutExpired:
            return False


def _told(step: Step, start: Start, outcome: Outcome) -> Iterator[str]:
    """The end, what it rests on, and each test of the start that stands against it."""
    evidence = msgspec.convert(outcome.evidence, Evidence) if outcome.evidence else Evidence("unverified")
    yield f"{step.name}, {start}: {outcome.end}: {DEGREES[evidence.degree]}"
    yield f"    {outcome.reason}"
    for account in (gate.originals for gate in evidence.gates if gate.originals and not outcome.accepted):
        yield from (f"        contradicted: {one.test}: {one.was}"[:200] for one in account.contradicted)
        yield from (f"        missing: {test}" for test in account.missing)


def play_all(*parts: str) -> None:
    chosen = [step for step in steps(*parts) if step.old.name in SUITES]
    fetch({release: None for step in chosen for release in (step.old, step.new)})
    rows: dict[str, list[int]] = {}
    starts: tuple[Start, ...] = ("as it was", "with the new tests")
    for step, start in product(chosen, starts):
        if outcome := play(step, start):
            print(*_told(step, start, outcome), sep="\n", flush=True)
            row = rows.setdefault(step.old.name, [0, 0, 0])
            row[0] += 1
            row[1] += outcome.accepted
            row[2] += outcome.end == "needs-review"
    print(f"{'project':18}{'plays':>6}{'verified':>10}{'needs-review':>14}")
    for name, (count, verified, review) in rows.items():
        print(f"{name:18}{count:>6}{verified:>10}{review:>14}")


def main(words: list[str]) -> int:
    what, parts = words[0], words[1:]
    if what == "fetch":
        fetch({release: None for step in steps(*parts) for release in (step.old, step.new)})
        return 0
    if what == "play":
        play_all(*parts)
        return 0
    count = hit = 0
    for step, inspection, seconds in gaming(*parts):
        count += 1
        hit += bool(inspection.findings)
        said = f"{len(inspection.findings)} findings, {len(inspection.skipped)} skipped, {seconds:.1f} s"
        print(f"{step.name:48}{said}", *map(_shown, inspection.findings), sep="\n")
    print(f"{count} pairs, {hit} of them with findings")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
