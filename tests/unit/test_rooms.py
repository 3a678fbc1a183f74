"""The rooms: what each may import, and how large it may grow. Data flows forward; no module reaches back."""

import ast
import re
from collections import Counter, defaultdict
from pathlib import Path

import ralph
from parsed import nodes

ROOT = Path(ralph.__file__).parent
EVERYWHERE = {"errors", "fault_points", "files", "text", "__version__"}
MAY_IMPORT: dict[str, set[str]] = {
    "core": set(),
    "config": {"core", "agents", "gates"},
    "prompt": {"core"},
    "agents": {"core"},
    "gates": {"core", "agents", "git"},
    "git": {"core"},
    "processes": set(),
    "sandbox": {"core"},
    "journal": {"core"},
    "history": {"core", "git", "journal"},
    "notify": {"core", "processes"},
    "backlog": {"core"},
    "runner": {
        "core",
        "agents",
        "backlog",
        "gates",
        "git",
        "history",
        "journal",
        "notify",
        "processes",
        "prompt",
        "sandbox",
    },
    "server": {"core", "journal"},
    "worker": {"core", "config", "git", "history", "journal", "processes", "runner"},
    "terminal": {"core", "history"},
    "report": {"core", "git", "history", "journal", "terminal"},
    "agent_tools": {"core", "journal"},
    "setup": {"core", "agents", "config", "git", "processes"},
    "cli": {
        "core",
        "agents",
        "agent_tools",
        "backlog",
        "config",
        "git",
        "history",
        "journal",
        "processes",
        "report",
        "runner",
        "sandbox",
        "server",
        "setup",
        "terminal",
        "worker",
    },
}
PURE = {
    "__future__",
    "collections",
    "functools",
    "fnmatch",
    "hashlib",
    "heapq",
    "json",
    "math",
    "re",
    "typing",
    "msgspec",
    "enum",
}

MOST_MODULES = 390  # a fleet came: landing, commands about a server, and boards that agents look at
MOST_IN_A_FOLDER = 20  # then it needs sub-rooms
SMALL = 30  # lines; a smaller module belongs to its only importer
# Their modules are found by name, not by imports.
BY_NAME = {"agents", "notify/channels", "cli", "core/loop/reducers", "gates/reports/hooks"}


def _imports(path: Path) -> set[str]:
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            if node.level == 1:
                continue  # stays inside its own folder
            assert node.level == 0, f"{path}: reaches upwards"
            if node.module == "ralph":
                found |= {f"ralph.{alias.name}" for alias in node.names}
            else:
                found.add(node.module or "")
    return found


def _modules() -> list[tuple[str, Path]]:
    return [
        (path.relative_to(ROOT).parts[0], path)
        for path in ROOT.rglob("*.py")
        if len(path.relative_to(ROOT).parts) > 1
    ]


def test_every_room_imports_only_what_it_may() -> None:
    wrong = []
    for room, path in _modules():
        assert room in MAY_IMPORT, f"{path}: a room without a rule"
        for name in _imports(path):
            parts = name.split(".")
            if (
                parts[0] == "ralph"
                and len(parts) > 1
                and parts[1] not in EVERYWHERE | MAY_IMPORT[room] | {room}
            ):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong


def test_the_architecture_page_says_the_same() -> None:
    page = (Path(__file__).parents[2] / "docs/architecture.md").read_text()
    rows = re.findall(r"^\| `(\w+)/` \| .* \| (.+) \|$", page, re.MULTILINE)
    said = {room: set() if rooms == "nothing" else set(rooms.split(", ")) for room, rooms in rows}
    assert said == MAY_IMPORT


def test_the_core_does_no_io() -> None:
    wrong = []
    for room, path in _modules():
        if room == "core":
            wrong += [
                f"{path.name} imports {name}"
                for name in _imports(path)
                if name.split(".")[0] not in PURE | {"ralph"}
                or name.split(".")[:2] == ["ralph", "fault_points"]
            ]
            wrong += [
                f"{path.name} calls {node.func.id}"
                for node in nodes(path)
                if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("open", "print", "input")
            ]
    assert not wrong


def test_quick_commands_import_only_the_standard_library() -> None:
    import subprocess
    import sys

    script = (
        "import sys\n"
        "from ralph.agent_tools import commands, emit, memory_commands, todo_commands\n"
        "from ralph.cli import entry\n"
        "from ralph.journal import inbox\n"
        "loaded = sorted(m for m in sys.modules if m.split('.')[0] in ('click', 'msgspec', 'yaml', 'subprocess'))\n"
        "sys.exit(', '.join(loaded) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr == ""


def test_the_driver_of_postgresql_is_imported_only_by_its_store_and_that_only_when_it_is_used() -> None:
    store = "ralph.server.stores.postgresql"
    for _, path in _modules():
        drivers = {name for name in _imports(path) if name.split(".")[0] in ("psycopg", "psycopg_pool")}
        assert not drivers or path == ROOT / "server/stores/postgresql.py"
        always = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ImportFrom)]
        assert store not in {node.module for node in always}, f"{path}: imports {store} at once"


def _names_of_modules() -> dict[str, Path]:
    """ralph.core.policy -> its path; a package by its name."""
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = ("ralph", *path.relative_to(ROOT).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _importers(modules: dict[str, Path]) -> dict[str, set[str]]:
    """Module -> the modules of the package that import it, or something from it."""
    found: dict[str, set[str]] = defaultdict(set)
    for importer, path in modules.items():
        package = importer if path.name == "__init__.py" else importer.rpartition(".")[0]
        for node in nodes(path):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                source = ".".join(filter(None, (package if node.level else "", node.module)))
                names = [f"{source}.{alias.name}" for alias in node.names]
                names = [name if name in modules else source for name in names]
            else:
                continue
            for name in names:
                found[name].add(importer)
    return found


def test_no_public_class_exists_twice() -> None:
    places = defaultdict(list)
    for path in ROOT.rglob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_folder_holds_too_many_modules() -> None:
    sizes = Counter(path.parent for path in ROOT.rglob("*.py") if path.name != "__init__.py")
    large = {str(folder.relative_to(ROOT)): n for folder, n in sizes.items() if n > MOST_IN_A_FOLDER}
    assert large == {}


def test_a_small_module_has_more_than_one_importer() -> None:
    modules = _names_of_modules()
    importers = _importers(modules)
    small = [
        name
        for name, path in modules.items()
        if len(path.read_text().splitlines()) < SMALL
        and path.name not in ("__init__.py", "__main__.py")
        and str(path.parent.relative_to(ROOT)) not in BY_NAME
        and len(importers[name]) <= 1
    ]
    assert small == []


def test_the_package_stays_small_enough_to_know() -> None:
    modules = [path for path in ROOT.rglob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= MOST_MODULES


def test_unit_tests_are_in_folders_named_like_the_rooms() -> None:
    tests = Path(__file__).parent
    folders = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")}
    others = {str(folder) for folder in folders if folder != Path() and not (ROOT / folder).is_dir()}
    assert others == set()
