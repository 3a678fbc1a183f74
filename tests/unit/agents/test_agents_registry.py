"""Which agents can be named, how each is started, and how another package adds one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ralph.agents import registry
from ralph.agents.adapter import Launch, Tools
from ralph.agents.registry import adapter
from ralph.core.policy import AgentPolicy
from ralph.errors import RalphError

DOCS = Path(__file__).resolve().parents[3] / "docs" / "agents.md"
NAMES = [name for name, _ in registry.programs()]


def launch(tmp_path: Path, **policy: object) -> Launch:
    asked = AgentPolicy(**policy)  # type: ignore[arg-type]
    tools = Tools(tmp_path / "private", ("ralph", "mcp"), {"RALPH_TOKEN": "secret"})
    return adapter(asked).launch(asked, "-do it", tmp_path / "prompt", tools)


@pytest.mark.parametrize("name", NAMES)
def test_program_model_arguments_and_environment_are_the_users(name: str, tmp_path: Path) -> None:
    model = "" if name == "amp" else "some-model"
    found = launch(
        tmp_path, backend=name, command=("/opt/x", "y"), model=model, args=("--fast",), env={"A": "b"}
    )
    assert found.argv[:2] == ("/opt/x", "y") and "--fast" in found.argv
    assert not model or found.argv[found.argv.index(model) - 1] in ("--model", "-m")
    assert found.env["A"] == "b"
    assert not any("secret" in word for word in found.argv)
    assert found.stdin == b"-do it" or str(tmp_path / "prompt") in found.argv


@pytest.mark.parametrize("name", NAMES)
def test_without_a_program_of_the_users_it_is_the_agents_own(name: str, tmp_path: Path) -> None:
    assert launch(tmp_path, backend=name).argv[0] == registry.program(AgentPolicy(backend=name))


def test_private_files_are_for_the_user_alone(tmp_path: Path) -> None:
    launch(tmp_path, backend="claude")
    (file,) = (tmp_path / "private").iterdir()
    assert "secret" in file.read_text() and file.stat().st_mode & 0o077 == 0


def test_what_the_user_has_set_is_stronger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISABLE_AUTOUPDATER", "0")
    env = launch(tmp_path, backend="claude", env={"ENABLE_TOOL_SEARCH": "true"}).env
    assert (env["DISABLE_AUTOUPDATER"], env["ENABLE_TOOL_SEARCH"]) == ("0", "true")


def test_the_users_own_mcp_servers_are_turned_off_unless_asked_for(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex/config.toml").write_text("[mcp_servers.theirs]\ncommand = 'x'\n")
    (tmp_path / ".config/opencode").mkdir(parents=True)
    (tmp_path / ".config/opencode/opencode.jsonc").write_text(
        '{"mcp": {"theirs": {"type": "local"}},} // mine'
    )
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": "", "CODEX_HOME": ""}
    asked = ("-c", "mcp_servers.theirs.enabled=true")
    argv = launch(tmp_path, backend="codex", env=home, args=asked).argv
    assert argv.index("mcp_servers.theirs.enabled=false") < argv.index(asked[1]), "the last one counts"
    config = json.loads(launch(tmp_path, backend="opencode", env=home).env["OPENCODE_CONFIG_CONTENT"])
    assert config["mcp"]["theirs"] == {"enabled": False} and config["mcp"]["ralph"]["enabled"]
    given = {"OPENCODE_CONFIG_CONTENT": '{"mcp": {"theirs": {"enabled": true}}, "share": "disabled"}'}
    config = json.loads(launch(tmp_path, backend="opencode", env=home | given).env["OPENCODE_CONFIG_CONTENT"])
    assert config["mcp"]["theirs"] == {"enabled": True} and config["share"] == "disabled"


def test_the_preferred_agent_on_path_comes_first(tmp_path: Path) -> None:
    for name in ("aider", "codex", "kiro-cli"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert tuple(registry.on_path(str(tmp_path))) == ("codex", "kiro", "aider")


def test_an_unknown_name_is_an_error_with_the_nearest() -> None:
    with pytest.raises(RalphError, match="unknown agent 'cluade'") as caught:
        registry.find("cluade")
    assert "Did you mean claude?" in caught.value.todo and caught.value.code == 10


def test_a_model_for_an_agent_that_takes_none_is_refused() -> None:
    policy = AgentPolicy(backend="amp", model="big")
    with pytest.raises(RalphError, match="takes no model"):
        adapter(policy).check(policy)


@pytest.fixture
def third_party(tmp_path: Path) -> dict[str, str]:
    """The example of the documentation, laid out as pip would install it."""
    text = DOCS.read_text("utf-8").partition("## Your own adapter")[2]
    code = text.partition("```python\n")[2].partition("```")[0]
    toml = text.partition("```toml\n")[2].partition("```")[0]
    entry = toml.partition('[project.entry-points."ralph.agents"]\n')[2].strip().replace('"', "")
    assert code and entry
    site = tmp_path / "site"
    info = site / "ralph_aide-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "ralph_aide.py").write_text(code)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ralph-aide\nVersion: 1.0\n")
    broken = "broken = no_such_module:Adapter\nclaude = ralph_aide:Aide\n"
    (info / "entry_points.txt").write_text(f"[ralph.agents]\n{entry}\n{broken}")
    program = tmp_path / "bin" / "aide"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$@" > args; cat > prompt; echo TASK_COMPLETE; echo 42 > answer\n')
    program.chmod(0o755)
    return {
        "PYTHONPATH": str(site),
        "PATH": f"{program.parent}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
    }


def ralph(env: dict[str, str], folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "ralph", *arguments]
    return subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def test_an_agent_of_another_package_works_like_one_of_ours(
    third_party: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "ralph.yml").write_text("cli: {backend: aide, args: [--fast]}\ngates: none\n")
    done = ralph(third_party, folder, "run", "-p", "Write the answer.")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "args").read_text() == "--yes --fast\n"
    assert "Write the answer." in (folder / "prompt").read_text()
    unknown = folder / "ralph.yml"
    unknown.write_text("cli: {backend: aids}\n")
    assert "(nearest valid: aide)" in ralph(third_party, folder, "validate").stdout


def test_an_agent_that_cannot_be_loaded_names_its_package(
    third_party: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "ralph.yml").write_text("cli: {backend: broken}\n")
    done = ralph(third_party, tmp_path, "run", "-p", "x")
    assert done.returncode == 10 and "ralph-aide" in done.stderr and "Traceback" not in done.stderr


def test_ours_cannot_be_replaced(third_party: dict[str, str]) -> None:
    code = "from ralph.agents.registry import find; print(type(find('claude')).__name__)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=third_party, capture_output=True, text=True, check=True
    )
    assert done.stdout == "ClaudeAdapter\n"
