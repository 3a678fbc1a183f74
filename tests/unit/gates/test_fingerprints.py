"""What acts on a gate from outside the tree is noticed when it differs; what an installer does is not taken for tampering."""

from __future__ import annotations

import hashlib
import os
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from ralph.core.policy import GatePolicy
from ralph.gates.fingerprints import (
    Fingerprints,
    compare,
    dump,
    load,
    names_of,
    rebased,
    take,
    take_again,
)


class Machine:
    """A project in a HOME, with a PATH of which two folders are the user's own."""

    def __init__(self, top: Path) -> None:
        self.home, self.root = top / "home", top / "project"
        self.own_bin, self.system = self.home / ".local/bin", top / "usr/bin"
        for folder in (self.root, self.own_bin, self.system):
            folder.mkdir(parents=True)
        self.env = {
            "PATH": f"{self.own_bin}:{self.system}",
            "HOME": str(self.home),
            "TMPDIR": str(top / "tmp"),
        }
        self.gates = [GatePolicy("tests", run="pytest -q")]

    def write(self, name: str, text: str = "", *, executable: bool = False) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if executable else 0o644)
        return path

    def gate(self, run: str) -> None:
        self.gates = [GatePolicy("tests", run=run)]

    def take(self) -> Fingerprints:
        found = take(self.gates, root=str(self.root), folder=".", share=(), env=self.env, home=str(self.home))
        return load(dump(found))

    def tampered(self, before: Fingerprints, **more: frozenset[str]) -> dict[str, str]:
        found = compare(before, take_again(before), **more).get("tests", ())
        return {os.path.relpath(one.path, self.root): one.what for one in found}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def venv(machine: Machine) -> Path:
    """A virtual environment with a pytest, as an installer leaves it."""
    site = machine.root / ".venv/lib/python3.12/site-packages"
    machine.write(".venv/pyvenv.cfg", "home = /nowhere\n")
    machine.write(".venv/bin/pytest", "#!/bin/sh\n", executable=True)
    install(site, "pytest", {"_pytest/main.py": "run()\n", "../../../bin/pytest": "#!/bin/sh\n"})
    return site


def install(site: Path, name: str, files: dict[str, str], version: str = "1.0") -> None:
    rows = []
    info = f"{name}-{version}.dist-info"
    for path, text in {**files, f"{info}/METADATA": f"Name: {name}\n"}.items():
        place = Path(os.path.normpath(site / path))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.write_text(text)
        digest = urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(text)}")
    (site / info / "RECORD").write_text("\n".join([*rows, f"{info}/RECORD,,"]))


def test_nothing_differs_when_nothing_was_done(machine: Machine) -> None:
    venv(machine)
    machine.write("node_modules/a/index.js")
    before = machine.take()
    assert before.places["tests"]
    assert machine.tampered(before) == {}


def test_an_edited_file_of_an_environment_is_found_though_its_times_are_set_back(machine: Machine) -> None:
    main = venv(machine) / "_pytest/main.py"
    then = main.stat()
    before = machine.take()
    main.write_text("pass;\n")  # of the same length
    os.utime(main, ns=(then.st_atime_ns, then.st_mtime_ns))
    assert machine.tampered(before) == {".venv/lib/python3.12/site-packages/_pytest/main.py": "changed"}


@pytest.mark.parametrize(
    ("name", "what"),
    [("evil.pth", "appeared"), ("usercustomize.pyc", "appeared"), ("_pytest/main.py", "vanished")],
)
def test_what_appears_or_vanishes_is_found(machine: Machine, name: str, what: str) -> None:
    site = venv(machine)
    before = machine.take()
    (site / name).unlink() if what == "vanished" else (site / name).write_text("import evil\n")
    assert machine.tampered(before) == {f".venv/lib/python3.12/site-packages/{name}": what}


def test_what_tools_compile_and_cache_is_no_tampering(machine: Machine) -> None:
    site = venv(machine)
    machine.write("node_modules/a/index.js")
    before = machine.take()
    (site / "_pytest/__pycache__").mkdir()
    (site / "_pytest/__pycache__/main.cpython-312.pyc").write_bytes(b"compiled")
    machine.write("node_modules/.cache/babel/x.json")
    machine.write("node_modules/.vite/results.json")
    assert machine.tampered(before) == {}


def test_a_cache_inside_a_package_is_a_folder_like_any_other(machine: Machine) -> None:
    machine.write("node_modules/a/index.js")
    before = machine.take()
    machine.write("node_modules/a/.cache/evil.js")
    assert machine.tampered(before) == {"node_modules/a/.cache/evil.js": "appeared"}


def test_a_program_put_earlier_into_path_is_found(machine: Machine) -> None:
    (machine.system / "pytest").write_text("#!/bin/sh\n")
    (machine.system / "pytest").chmod(0o755)
    before = machine.take()
    (machine.own_bin / "pytest").write_text("#!/bin/sh\nexit 0\n")
    (machine.own_bin / "unrelated").write_text("#!/bin/sh\n")
    assert machine.tampered(before) == {"../home/.local/bin/pytest": "appeared"}


def test_a_program_in_a_folder_that_a_script_puts_into_path_is_found(machine: Machine) -> None:
    machine.env["PATH"] = str(machine.system)
    machine.write("run_tests.sh", 'PATH="$HOME/tools:$PATH"\nexport PATH\npytest -q\n')
    machine.gate("sh run_tests.sh")
    before = machine.take()
    tool = machine.home / "tools/pytest"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    assert machine.tampered(before) == {"../home/tools/pytest": "appeared"}


def test_a_program_in_front_of_those_that_npm_starts_is_found(machine: Machine) -> None:
    for name in ("npm", "node"):
        (machine.system / name).write_text("#!/bin/sh\n")
        (machine.system / name).chmod(0o755)
    machine.write("package.json", '{"scripts": {"test": "node --test"}}')
    machine.gate("npm test")
    before = machine.take()
    machine.write("node_modules/.bin/node", "#!/bin/sh\n", executable=True)
    assert machine.tampered(before) == {"node_modules/.bin/node": "appeared"}


@pytest.mark.parametrize(
    ("run", "setting"),
    [
        ("npm test", ".npmrc"),
        ("GOFLAGS= go test ./...", ".config/go/env"),
        ("cargo test", ".cargo/config.toml"),
        ("make check", ".npmrc"),  # no Makefile says what it calls
    ],
)
def test_settings_in_home_of_the_tools_that_a_gate_calls_are_found(
    machine: Machine, run: str, setting: str
) -> None:
    machine.gate(run)
    before = machine.take()
    (machine.home / setting).parent.mkdir(parents=True, exist_ok=True)
    (machine.home / setting).write_text("x = 1\n")
    assert machine.tampered(before) == {f"../home/{setting}": "appeared"}


@pytest.mark.parametrize(
    ("run", "lock", "source"),
    [
        (
            "go test ./...",
            ("go.sum", "x.org/Lib v1.0.0 h1:a=\nx.org/Lib v1.0.0/go.mod h1:b=\n"),
            "go/pkg/mod/x.org/!lib@v1.0.0/lib.go",
        ),
        (
            "cargo test",
            ("Cargo.lock", '[[package]]\nname = "lib"\nversion = "1.0.0"\nsource = "registry+x"\n'),
            ".cargo/registry/src/index-1/lib-1.0.0/src/lib.rs",
        ),
    ],
)
def test_sources_of_dependencies_that_a_compiler_keeps_in_home_are_found(
    machine: Machine, run: str, lock: tuple[str, str], source: str
) -> None:
    machine.gate(run)
    machine.write(*lock)
    other = machine.home / source.replace("1.0.0", "2.0.0")
    for path in (machine.home / source, other):
        path.parent.mkdir(parents=True)
        path.write_text("")
    before = machine.take()
    other.write_text("edited")
    assert machine.tampered(before) == {}
    (machine.home / source).write_text("edited")
    assert machine.tampered(before) == {f"../home/{source}": "changed"}


@pytest.mark.parametrize("folder", [".", ".."])
def test_a_folder_that_a_gate_names_is_not_looked_for_in_path(machine: Machine, folder: str) -> None:
    """With a folder of PATH in front, `..` would be all of the file system around it."""
    machine.gate(f"ruff check {folder}")
    before = machine.take()
    (machine.system / "other").write_text("")
    (machine.system.parent / "other").write_text("")
    assert machine.tampered(before) == {}


def test_without_home_what_else_acts_on_a_gate_is_found(machine: Machine) -> None:
    machine.gate("npm test")
    del machine.env["HOME"]
    found = take(machine.gates, root=str(machine.root), folder=".", share=(), env=machine.env, home="")
    (machine.own_bin / "npm").write_text("")
    assert list(machine.tampered(load(dump(found)))) == ["../home/.local/bin/npm"]


def test_settings_of_other_tools_are_not_looked_at(machine: Machine) -> None:
    machine.gate("go test ./...")
    before = machine.take()
    (machine.home / ".npmrc").write_text("x = 1\n")
    assert machine.tampered(before) == {}


def test_an_identity_in_the_settings_of_git_is_no_tampering(machine: Machine) -> None:
    machine.gate("git diff --exit-code")
    settings = machine.home / ".gitconfig"
    settings.write_text("[core]\n\tautocrlf = false\n")
    before = machine.take()
    settings.write_text("[core]\n\tautocrlf = false\n[user]\n\tname = Agent\n[safe]\n\tdirectory = *\n")
    assert machine.tampered(before) == {}
    settings.write_text("[core]\n\tautocrlf = false\n[diff]\n\texternal = true\n")
    assert machine.tampered(before) == {"../home/.gitconfig": "changed"}


def test_a_file_written_anew_with_the_same_settings_is_no_tampering(machine: Machine) -> None:
    machine.gate("npm test")
    settings = machine.home / ".npmrc"
    settings.write_text("fund=false\n")
    before = machine.take()
    settings.unlink()
    settings.write_text("fund=false\n")
    assert machine.tampered(before) == {}


def test_what_a_snapshot_holds_is_judged_there(machine: Machine) -> None:
    machine.write("vendor/lib/a.go")
    before = machine.take()
    machine.write("vendor/lib/a.go", "package a\n")
    assert machine.tampered(before, recorded=frozenset({"vendor/lib/a.go"})) == {}
    assert machine.tampered(before) == {"vendor/lib/a.go": "changed"}


def test_a_package_installed_again_as_it_was_is_no_tampering(machine: Machine) -> None:
    site = venv(machine)
    before = machine.take()
    install(site, "pytest", {"_pytest/main.py": "run()\n", "../../../bin/pytest": "#!/bin/sh\n"})
    (machine.root / ".venv/bin/pytest").chmod(0o755)
    assert machine.tampered(before) == {}


def test_a_list_of_files_that_was_rewritten_proves_nothing(machine: Machine) -> None:
    site = venv(machine)
    before = machine.take()
    install(site, "pytest", {"_pytest/main.py": "pass\n", "../../../bin/pytest": "#!/bin/sh\n"})
    assert ".venv/lib/python3.12/site-packages/_pytest/main.py" in machine.tampered(before)


NEW = frozenset({"requests"})


def test_files_of_a_package_that_a_lock_file_newly_names_are_no_tampering(machine: Machine) -> None:
    site = venv(machine)
    before = machine.take()
    install(site, "requests", {"requests/__init__.py": "", "../../../bin/requests": "#!/bin/sh\n"})
    assert machine.tampered(before, packages=NEW) == {}
    assert len(machine.tampered(before)) == 4


@pytest.mark.parametrize(
    "name", ["_pytest/main.py", "../../../bin/pytest", "requests.pth", "sitecustomize.py"]
)
def test_such_a_package_cannot_claim_what_is_not_its_own(machine: Machine, name: str) -> None:
    site = venv(machine)
    before = machine.take()
    install(site, "requests", {"requests/__init__.py": "", name: "evil()\n"})
    found = machine.tampered(before, packages=NEW)
    assert list(found) == [os.path.relpath(os.path.normpath(site / name), machine.root)]


def test_an_upgrade_takes_old_files_of_the_package_away(machine: Machine) -> None:
    site = venv(machine)
    install(site, "requests", {"requests/__init__.py": "", "requests/old.py": ""})
    before = machine.take()
    for path in ("requests/old.py", *(f"requests-1.0.dist-info/{name}" for name in ("RECORD", "METADATA"))):
        (site / path).unlink()
    (site / "requests-1.0.dist-info").rmdir()
    install(site, "requests", {"requests/__init__.py": "new"}, version="2.0")
    assert machine.tampered(before, packages=NEW) == {}
    assert len(machine.tampered(before)) == 6


def test_node_packages_that_a_lock_file_newly_names_bring_programs_and_change_none(machine: Machine) -> None:
    machine.write("node_modules/jest/bin/jest.js")
    machine.write("node_modules/.package-lock.json", "{}")
    (machine.root / "node_modules/.bin").mkdir()
    (machine.root / "node_modules/.bin/jest").symlink_to("../jest/bin/jest.js")
    before = machine.take()
    machine.write("node_modules/@scope/left/cli.js")
    machine.write("node_modules/.package-lock.json", '{"new": 1}')
    (machine.root / "node_modules/.bin/left").symlink_to("../@scope/left/cli.js")
    named = frozenset({"@scope/left"})
    assert machine.tampered(before, packages=named) == {}
    (machine.root / "node_modules/.bin/jest").unlink()
    (machine.root / "node_modules/.bin/jest").symlink_to("../@scope/left/cli.js")
    machine.write("node_modules/jest/bin/jest.js", "process.exit(0)")
    assert machine.tampered(before, packages=named) == {
        "node_modules/.bin/jest": "changed",
        "node_modules/jest/bin/jest.js": "changed",
    }


def test_a_workspace_made_anew_has_other_files_and_the_same_home(machine: Machine, tmp_path: Path) -> None:
    venv(machine)
    (machine.home / ".npmrc").write_text("fund=false\n")
    machine.gate("npm test")
    before = machine.take()
    machine.root.rename(tmp_path / "given back")
    machine.root.mkdir()
    venv(machine)
    (machine.home / ".npmrc").write_text("script-shell=/bin/true\n")
    after = rebased(before, machine.take())
    assert machine.tampered(after) == {"../home/.npmrc": "changed"}


def test_a_link_to_an_environment_elsewhere_is_followed(machine: Machine, tmp_path: Path) -> None:
    venv(machine)
    (machine.root / ".venv").rename(tmp_path / "environments")
    (machine.root / ".venv").symlink_to(tmp_path / "environments")
    before = machine.take()
    (tmp_path / "environments/bin/pytest").write_text("#!/bin/sh\nexit 0\n")
    assert machine.tampered(before) == {"../environments/bin/pytest": "changed"}


def test_a_pipe_in_place_of_a_file_is_not_waited_for(machine: Machine) -> None:
    machine.gate("npm test")
    (machine.home / ".npmrc").write_text("fund=false\n")
    before = machine.take()
    (machine.home / ".npmrc").unlink()
    os.mkfifo(machine.home / ".npmrc")
    assert machine.tampered(before) == {"../home/.npmrc": "changed"}


def test_very_many_files_are_named_by_their_folder(machine: Machine) -> None:
    for n in range(50):
        machine.write(f"node_modules/a/lib/{n}.js")
    before = machine.take()
    for n in range(50):
        machine.write(f"node_modules/a/lib/{n}.js", "changed")
    found = compare(before, take_again(before))["tests"]
    assert names_of(found, str(machine.root)) == ("node_modules/a/lib",)


def test_a_name_that_is_not_utf8_is_kept(machine: Machine) -> None:
    machine.write("node_modules/a/index.js")
    (machine.root / os.fsdecode(b"node_modules/a/\xff.js")).write_text("")
    assert machine.tampered(machine.take()) == {}
