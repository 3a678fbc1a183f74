"""Tools of a served /mcp, called by the official client."""

from __future__ import annotations

import asyncio
from typing import Any

from serving import Served


def call(served: Served, name: str, arguments: dict[str, Any], token: str = "") -> tuple[bool, str]:
    """Whether it went wrong, and what was told."""
    result = asyncio.run(_session(served, token or served.token, lambda c: c.call_tool(name, arguments)))
    return bool(result.is_error), result.content[0].text


def names(served: Served, token: str) -> set[str]:
    listed = asyncio.run(_session(served, token, lambda c: c.list_tools()))
    return {tool.name for tool in listed.tools}


async def _session(served: Served, token: str, do: Any) -> Any:
    import httpx2
    from mcp.client.client import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as web,
        Client(streamable_http_client(f"{served.url}/mcp", http_client=web)) as client,
    ):
        return await do(client)
