"""The official client, in each of its ways to open a connection, against the real `ralph mcp`. Skipped without it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from mcp_world import RALPH, TASK, World

from ralph.agent_tools.mcp_tools import TOOLS

if TYPE_CHECKING:
    from mcp.client.client import Client

CALLS: list[tuple[str, dict[str, Any], str]] = [
    (
        "write_scratchpad",
        {"done": "a", "testStatus": "b", "nextStep": "c", "blockers": "none"},
        "The scratchpad is written",
    ),
    (
        "ralph-complete",
        {
            "taskId": TASK,
            "summary": "all of it is done",
            "promiseEvidence": "ran make test: pass",
            "artifactPaths": ["a"],
        },
        "gates decide",
    ),
    ("emit_event", {"topic": "build.done", "payload": "ünïcode"}, "build.done"),
    ("ask_human", {"question": "Which one?"}, "The question is recorded"),
    ("add_task", {"title": "Later", "criteria": ["x"]}, "- later: Later"),
    ("split_task", {"taskId": TASK, "tasks": [{"title": "1"}, {"title": "2"}]}, f"- {TASK}.2: 2"),
    ("list_tasks", {}, f"Current task: {TASK}"),
    ("add_todo", {"title": "t"}, "is open in"),
    ("add_memory", {"content": "Use tabs", "tags": ["style"]}, "Remembered as mem-"),
    ("search_memories", {"query": "tabs style"}, "Use tabs"),
]


@pytest.fixture(autouse=True, scope="module")
def sdk() -> None:
    """Imported when a test runs: it takes longer than collecting a thousand tests."""
    pytest.importorskip("mcp.client.client", reason="needs the package `mcp`")


def client(world: World, mode: str) -> Client:
    from mcp import StdioServerParameters
    from mcp.client.client import Client

    return Client(
        StdioServerParameters(command=RALPH, args=["mcp"], env=world.env, cwd=world.root), mode=mode
    )


@pytest.mark.parametrize(
    ("mode", "version"),
    [("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")],
)
def test_it_opens_lists_and_calls_every_tool(world: World, mode: str, version: str) -> None:
    (world.root / "a").write_text("")

    async def work() -> None:
        async with client(world, mode) as session:
            assert session.protocol_version == version
            listed = (await session.list_tools()).tools
            assert [tool.name for tool in listed] == list(TOOLS) == [name for name, _, _ in CALLS]
            for name, arguments, expected in CALLS:
                result = await session.call_tool(name, arguments)
                said = result.content[0].text  # type: ignore[union-attr]
                assert (result.is_error, expected in said) == (False, True), said

    asyncio.run(asyncio.wait_for(work(), 60))
    assert [message["kind"] for message in world.messages()] == ["claim", "event", "event", "task", "task"]
    assert {message["token"] for message in world.messages()} == {"secret"}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_refusals_are_results_and_unknown_tools_are_errors(world: World, mode: str) -> None:
    from mcp import MCPError

    world.without("RALPH_TOKEN")

    async def work() -> None:
        async with client(world, mode) as session:
            result = await session.call_tool("ask_human", {"question": "x"})
            assert result.is_error
            assert "no iteration runs here" in result.content[0].text  # type: ignore[union-attr]
            with pytest.raises(MCPError, match="Unknown tool: nope"):
                await session.call_tool("nope", {})

    asyncio.run(asyncio.wait_for(work(), 60))
    assert world.messages() == []
