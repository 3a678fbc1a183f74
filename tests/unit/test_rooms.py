"""The rooms of the house: what each may import. Data flows forward; no module reaches back."""

import ast
import re
from pathlib import Path

import ralph

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
        "setup",
        "terminal",
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


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
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
                for node in ast.walk(ast.parse(path.read_text()))
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
