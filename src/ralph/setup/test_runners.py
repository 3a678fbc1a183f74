"""The test runners that Ralph recognises: for each, how to see that a folder uses it and how it is run once, to its end.

A runner looks at one folder and answers with at most one candidate. Which of them are proposed is decided in detect.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import msgspec

from ralph.setup.project import Machine, ProjectFolder, Recipes, of_justfile, of_makefile

_SAMPLE = 20  # test files that are read to tell unittest from pytest
_SCRIPT_CHARS = 20_000


class Candidate(msgspec.Struct, frozen=True):
    label: str
    run: str
    why: str
    needs: str = ""  # the program that must be on PATH; empty when it is known to be there
    text: str = ""  # what it runs in turn, as far as that can be read
    called: str = r"(?!)"  # how another runner's text calls this one
    trouble: str = ""  # why it cannot be proposed although it is here
    hint: str = ""  # what to do before it can pass
    language: str = ""  # as the table of runners says


Runner = Callable[[ProjectFolder, Machine], Candidate | None]


# -- wrappers --------------------------------------------------------------------------------------


def make(place: ProjectFolder, machine: Machine) -> Candidate | None:
    file = place.first("GNUmakefile", "makefile", "Makefile")
    recipes = of_makefile(place.read(file)) if file else None
    if recipes is None:
        return None
    target = next((name for name in ("test", "check") if recipes.does_something(name)), "")
    if not target:
        return None
    trouble = ""
    if target not in recipes.phony and (place.has(target) or place.has_folder(target)):
        # make would call it up to date, run nothing and exit with 0: a gate that always passes
        trouble = f"it does nothing while {target}/ exists; make the target .PHONY"
    return Candidate(
        "make",
        f"make {target}",
        f"{file} has the target {target}",
        needs="make",
        text=_with_scripts(place, recipes.text(target)),
        called=r"\$\(MAKE\)|\bg?make\s+(?:-\S+\s+)*(?:test|check)\b",
        trouble=trouble,
    )


def just(place: ProjectFolder, machine: Machine) -> Candidate | None:
    file = place.first("justfile", "Justfile", ".justfile")
    recipes = of_justfile(place.read(file)) if file else Recipes({}, {})
    if not recipes.does_something("test"):
        return None
    return Candidate(
        "just",
        "just test",
        f"{file} has the recipe test",
        needs="just",
        text=_with_scripts(place, recipes.text("test")),
        called=r"\bjust\s+test\b",
        trouble="its recipe test needs an argument" if recipes.of["test"].wants else "",
    )


def tox(place: ProjectFolder, machine: Machine) -> Candidate | None:
    file = next(
        (name for name, mark in _TOX if place.has(name) and re.search(mark, place.read(name), re.M)), ""
    )
    if not file:
        return None
    return Candidate(
        "tox",
        "tox",
        f"{file} configures tox",
        needs="tox",
        text=_uncommented(place.read(file)) if file.startswith("tox.") else "pytest",
        called=r"\btox\b",
    )


def nox(place: ProjectFolder, machine: Machine) -> Candidate | None:
    if not place.has("noxfile.py"):
        return None
    text = place.read("noxfile.py")
    session = next((name for name in ("tests", "test") if re.search(rf"^def {name}\(", text, re.M)), "")
    return Candidate(
        "nox",
        f"nox -s {session}" if session else "nox",
        f"noxfile.py has the session {session}" if session else "noxfile.py",
        needs="nox",
        text=_uncommented(text),
        called=r"\bnox\b",
    )


_TOX = (("tox.ini", r"^\[(?:tox|testenv)"), ("tox.toml", ""), ("pyproject.toml", r"^\[tool\.tox\b"))


# -- Python ----------------------------------------------------------------------------------------


def python(place: ProjectFolder, machine: Machine) -> Candidate | None:
    files = _own_python_files(place)
    tests = [path for path in files if re.search(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$", path)]
    why = _uses_pytest(place, files, tests)
    if why:
        return _pytest(place, machine, why)
    if place.has("manage.py") and "django" in place.read("manage.py"):
        return _python_candidate(place, machine, "django", "manage.py test", "manage.py is Django's")
    if tests:
        return _unittest(place, machine, tests)
    return None


_PYTEST_SETTINGS = (
    ("pytest.ini", ""),
    (".pytest.ini", ""),
    ("pytest.toml", ""),
    ("pyproject.toml", r"^\[tool\.pytest[.\]]"),
    ("setup.cfg", r"^\[tool:pytest\]"),
    ("tox.ini", r"^\[pytest\]"),
)
_PYTHON_PROJECT = ("pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt")


def _own_python_files(place: ProjectFolder) -> list[str]:
    """Without those of projects in folders below, which have their own environment; unless this is one project."""
    if place.first(*_PYTHON_PROJECT):
        return list(place.files)
    others = tuple(
        f"{name}/"
        for name in place.folders
        if place.first(*(f"{name}/{manifest}" for manifest in _PYTHON_PROJECT))
    )
    return [path for path in place.files if not path.startswith(others)]


def _uses_pytest(place: ProjectFolder, files: list[str], tests: list[str]) -> str:
    """The reason to think so; empty when there is none."""
    for name, mark in _PYTEST_SETTINGS:
        if place.has(name) and re.search(mark, place.read(name), re.M):
            return f"{name} configures pytest"
    conftest = next((path for path in files if re.search(r"(?:^|/)conftest\.py$", path)), "")
    if conftest:
        return f"{conftest} is pytest's"
    if not tests:
        return ""
    listed = [path for path in files if re.match(r"requirements[^/]*\.(?:txt|in)$", path)]
    for name in dict.fromkeys((*_PYTHON_PROJECT, *listed)):
        if re.search(r"\bpytest\b", place.read(name)):
            return f"{name} asks for pytest, and {tests[0]} is a test"
    for path in tests[:_SAMPLE]:
        if re.search(r"^(?:import pytest|from pytest|(?:async )?def test_)", place.read(path), re.M):
            return f"{path} is a test for pytest"
    return "" if any("unittest" in place.read(path) for path in tests[:_SAMPLE]) else f"{tests[0]} is a test"


_PROJECT_TOOLS = (
    ("uv", "uv.lock", r"^\[tool\.uv\b"),
    ("poetry", "poetry.lock", r"^\[tool\.poetry\b"),
    ("pdm", "pdm.lock", r"^\[tool\.pdm\b"),
    ("pipenv", "Pipfile", r"(?!)"),
)


def _project_tool(place: ProjectFolder) -> str:
    settings = place.read("pyproject.toml")
    return next(
        (tool for tool, lock, mark in _PROJECT_TOOLS if place.has(lock) or re.search(mark, settings, re.M)),
        "",
    )


def _environment(place: ProjectFolder) -> str:
    """The interpreter of the project's own virtual environment; empty when it has none."""
    return place.first(".venv/bin/python", "venv/bin/python", "env/bin/python")


def _pytest(place: ProjectFolder, machine: Machine, why: str) -> Candidate:
    def found(run: str) -> Candidate:
        return Candidate("pytest", run, why, called=r"\bpytest\b|\bpy\.test\b")

    own, tool = _environment(place), _project_tool(place)
    if own and machine.has_module(own, "pytest", place.folder):
        return found(f"{own} -m pytest")
    if tool and machine.has(tool):
        return found(f"{tool} run pytest")
    for interpreter in ("python3", "python"):
        if machine.has(interpreter) and machine.has_module(interpreter, "pytest", place.folder):
            return found(f"{interpreter} -m pytest")
    if machine.has("pytest"):
        return found("pytest")
    missing = f"{tool} is not on PATH" if tool else "pytest is not installed"
    return msgspec.structs.replace(found("pytest"), trouble=missing)


def _unittest(place: ProjectFolder, machine: Machine, tests: list[str]) -> Candidate | None:
    """The loader finds `test*.py` here and in packages; a plain folder has to be named to it."""
    loadable = [path for path in tests if re.search(r"(?:^|/)test[^/]*\.py$", path)]
    if not loadable:
        return None
    folder = loadable[0].rpartition("/")[0]
    found_from_here = any("/" not in path for path in loadable) or place.has(f"{folder}/__init__.py")
    arguments = "-m unittest" if found_from_here else f"-m unittest discover -s {folder}"
    return _python_candidate(
        place, machine, "unittest", arguments, f"{loadable[0]} is a test for unittest", r"\bunittest\b"
    )


def _python_candidate(
    place: ProjectFolder, machine: Machine, label: str, arguments: str, why: str, called: str = r"(?!)"
) -> Candidate:
    own, tool = _environment(place), _project_tool(place)
    if own:
        return Candidate(label, f"{own} {arguments}", why, called=called)
    if tool and machine.has(tool):
        return Candidate(label, f"{tool} run python {arguments}", why, called=called)
    interpreter = "python" if machine.has("python") and not machine.has("python3") else "python3"
    return Candidate(label, f"{interpreter} {arguments}", why, needs=interpreter, called=called)


# -- JavaScript ------------------------------------------------------------------------------------

_LOCKS = (
    ("pnpm", "pnpm-lock.yaml"),
    ("yarn", "yarn.lock"),
    ("bun", "bun.lock"),
    ("bun", "bun.lockb"),
    ("npm", "package-lock.json"),
)
_TEST = {"npm": "npm test", "pnpm": "pnpm test", "yarn": "yarn test", "bun": "bun run test"}
_EXECUTE = {"npm": "npx --no", "pnpm": "pnpm exec", "yarn": "yarn", "bun": "bunx --no-install"}
_PLACEHOLDER = "no test specified"
_WATCHES = r"\bvitest\s+watch\b|\s--watch(?:All)?(?:=true)?(?=\s|$)|\b(?:vitest|mocha)\b[^&|;\n]*\s-w(?=\s|$)"
_CALLED = r"\b(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:test|t)\b|\b(?:vitest|jest)\b"


def node(place: ProjectFolder, machine: Machine) -> Candidate | None:
    if not place.has("package.json"):
        return None
    manifest = _json_object(place.read("package.json"))
    if manifest is None:
        return Candidate("npm", "npm test", "package.json", trouble="package.json is not valid JSON")
    manager = _manager(place, manifest)
    script = _script(manifest, "test")
    hint = ""
    if _dependencies(manifest) and not place.has_folder("node_modules") and not place.has(".pnp.cjs"):
        hint = f"run `{manager} install` first: node_modules is missing"
    if script and _PLACEHOLDER not in script:
        text = _whole_script(manifest, "test")
        run, trouble = _to_its_end(manager, text)
        why = "package.json has a test script"
        return Candidate(manager, run, why, manager, _with_scripts(place, text), _CALLED, trouble, hint)
    for library, arguments in (("vitest", "vitest run"), ("jest", "jest")):
        if library in _dependencies(manifest):
            run = f"{_EXECUTE[manager]} {arguments}"
            why = f"package.json depends on {library}"
            return Candidate(library, run, why, needs=manager, called=_CALLED, hint=hint)
    return None


def _to_its_end(manager: str, text: str) -> tuple[str, str]:
    """The command that runs the test script once instead of watching for changes; or why there is none."""
    if re.search(_WATCHES, text):
        for library, arguments in (("vitest", "vitest run"), ("jest", "jest")):
            if re.search(rf"\b{library}\b", text):
                return f"{_EXECUTE[manager]} {arguments}", ""
        return _TEST[manager], "its test script watches for changes and would not end"
    if re.search(r"\bng\s+test\b(?!.*--(?:no-watch|watch[= ]false))", text):
        return f"CI=1 {_TEST[manager]}{' --' if manager == 'npm' else ''} --watch=false", ""
    if re.search(r"\bvitest\b(?!\s+(?:run|related|bench)\b)(?!.*--run\b)|\breact-scripts\s+test\b", text):
        return f"CI=1 {_TEST[manager]}", ""
    return _TEST[manager], ""


def _manager(place: ProjectFolder, manifest: dict[str, Any]) -> str:
    named = str(manifest.get("packageManager", "")).partition("@")[0]
    if named in _TEST:
        return named
    return next((manager for manager, lock in _LOCKS if place.has(lock)), "npm")


def _json_object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _script(manifest: dict[str, Any], name: str) -> str:
    scripts = manifest.get("scripts")
    found = scripts.get(name) if isinstance(scripts, dict) else None
    return found.strip() if isinstance(found, str) else ""


def _whole_script(manifest: dict[str, Any], name: str) -> str:
    """The script with those that it runs by name."""
    names, texts = [name], []
    for one in names:  # grows while it is walked
        text = _script(manifest, one)
        texts.append(text)
        names += [found for found in re.findall(_RUNS, text) if found not in names][:20]
        if len(names) > 50:
            break
    return "\n".join(texts)


_RUNS = r"\b(?:npm|pnpm|yarn|bun)\s+(?:run(?:-script)?\s+)?(?:-s\s+|--silent\s+)?([\w:.-]+)"


def _dependencies(manifest: dict[str, Any]) -> set[str]:
    groups = (manifest.get(key) for key in ("dependencies", "devDependencies"))
    return {name for group in groups if isinstance(group, dict) for name in group}


# -- others ----------------------------------------------------------------------------------------


def cargo(place: ProjectFolder, machine: Machine) -> Candidate | None:
    if not place.has("Cargo.toml"):
        return None
    settings = place.read("Cargo.toml")
    both = re.search(r"^\[workspace", settings, re.M) and re.search(r"^\[package\]", settings, re.M)
    run = "cargo test --workspace" if both else "cargo test"
    called = r"\bcargo\s+(?:\+\S+\s+)?(?:test|nextest)\b"
    return Candidate("cargo", run, "Cargo.toml", needs="cargo", called=called)


def go(place: ProjectFolder, machine: Machine) -> Candidate | None:
    called = r"\bgo\s+test\b|\bgotestsum\b"
    if place.has("go.mod"):
        return Candidate("go", "go test ./...", "go.mod", needs="go", called=called)
    if not place.has("go.work"):
        return None
    text = re.sub(r"//.*", "", place.read("go.work"))
    modules = re.findall(r"^\s*(?:use\s+)?(\.[\w./-]*)\s*$", text, re.M)
    everywhere = " ".join(
        f"./{module.removeprefix('./').strip('/')}/..." for module in modules if module != "."
    )
    everywhere = f"./... {everywhere}".strip() if "." in modules else everywhere
    if not everywhere:
        return None
    return Candidate("go", f"go test {everywhere}", "go.work", needs="go", called=called)


def jvm(place: ProjectFolder, machine: Machine) -> Candidate | None:
    build = place.first("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
    if place.has("gradlew") or build:
        run, needs = _wrapper(place, "gradlew", "gradle")
        return Candidate("gradle", f"{run} test", build or "gradlew", needs=needs, called=r"\bgradlew?\b")
    if place.has("pom.xml"):
        run, needs = _wrapper(place, "mvnw", "mvn")
        return Candidate("maven", f"{run} -q test", "pom.xml", needs=needs, called=r"\bmvnw?\b")
    return None


def _wrapper(place: ProjectFolder, wrapper: str, program: str) -> tuple[str, str]:
    """The project's own launcher, also when its executable bit was lost; else the program on PATH."""
    if place.has(wrapper):
        return (f"./{wrapper}", "") if place.is_executable(wrapper) else (f"sh ./{wrapper}", "")
    return program, program


def dotnet(place: ProjectFolder, machine: Machine) -> Candidate | None:
    project = next((path for path in place.files if re.fullmatch(r"[^/]+\.(?:slnx?|[cf]sproj)", path)), "")
    if not project:
        return None
    return Candidate("dotnet", "dotnet test", project, needs="dotnet", called=r"\bdotnet\s+test\b")


def rspec(place: ProjectFolder, machine: Machine) -> Candidate | None:
    spec = next((path for path in place.files if re.match(r"spec/(?:.*/)?[^/]+_spec\.rb$", path)), "")
    if not spec and not place.has(".rspec"):
        return None
    run, needs = "rspec", "rspec"
    if place.is_executable("bin/rspec"):
        run, needs = "bin/rspec", ""
    elif place.has("Gemfile"):
        run, needs = "bundle exec rspec", "bundle"
    return Candidate("rspec", run, spec or ".rspec", needs=needs, called=r"\brspec\b")


ANY = ""  # wrappers: the project's own command for all of its tests, in whatever language

# Language and runner; those that may call others come first.
RUNNERS: tuple[tuple[str, Runner], ...] = (
    (ANY, make),
    (ANY, just),
    ("JavaScript", node),
    ("Python", tox),
    ("Python", nox),
    ("Python", python),
    ("Rust", cargo),
    ("Go", go),
    ("JVM", jvm),
    (".NET", dotnet),
    ("Ruby", rspec),
)


def _with_scripts(place: ProjectFolder, text: str) -> str:
    """With the shell scripts that it names: they often call the runner proper."""
    found = [text]
    for word in dict.fromkeys(re.findall(r"[\w./-]+", text)):
        path = word.removeprefix("./")
        if path.startswith(("/", "-", "..")) or not (path.endswith((".sh", ".bash")) or "/" in path):
            continue
        script = place.read(path)[:_SCRIPT_CHARS] if place.has(path) else ""
        if path.endswith((".sh", ".bash")) or re.match(r"#!.*\b(?:ba|da|z)?sh\b", script):
            found.append(_uncommented(script))
        if len(found) > 10:
            break
    return "\n".join(found)


def _uncommented(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not line.lstrip().startswith(("#", ";")))
