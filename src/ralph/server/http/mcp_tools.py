"""The same tasks as MCP tools, over HTTP at /mcp: for agents that send tasks, and for those that work on one.

The official package speaks the protocol. Each tool is an endpoint of the API, asked with the caller's own token.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from msgspec import Meta
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from ralph import __version__
from ralph.core.fleet import requests as r
from ralph.core.fleet.access import Action, may
from ralph.core.fleet.model import CompletedTask
from ralph.core.fleet.store import FleetTransaction
from ralph.errors import RalphError
from ralph.server.http import tasks
from ralph.server.http.endpoint import Call
from ralph.server.http.problems import HttpProblem, of_validation
from ralph.server.http.tasks import Id, ListQuery, NewMessage, NewTask, TaskPage
from ralph.server.service import FleetService
from ralph.server.task_view import TaskView

TOKEN = "ralph.token"
Who = Callable[[Request], Awaitable[Any]]
LONG_ENOUGH = 10  # characters of a summary and of evidence


class SendTask(NewTask, rename="camel", kw_only=True, forbid_unknown_fields=True):
    ralph_max_iterations: Annotated[int, Meta(ge=1, le=100)] = 50


class OneTask(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    task_id: Id


class CompleteTask(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    task_id: Id
    summary: Annotated[
        str, Meta(min_length=LONG_ENOUGH, max_length=10_000, description="What was accomplished")
    ]
    promise_evidence: Annotated[
        str,
        Meta(
            min_length=LONG_ENOUGH, max_length=10_000, description="How it is known that the promise is met"
        ),
    ]
    artifact_paths: Annotated[tuple[Annotated[str, Meta(max_length=1000)], ...], Meta(max_length=100)] = ()


class AnswerTask(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    task_id: Id
    answer: Annotated[str, Meta(min_length=1, max_length=100_000)]


class ProgressView(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """How far a task is."""

    id: str
    status: str
    phase: str
    reason: str
    worker: str | None
    ralph_iterations: int
    ralph_max_iterations: int
    ralph_last_checkpoint: str | None
    attempts: int
    cost_usd: float
    tokens: int


# -- what they do ----------------------------------------------------------------------------------------------


def _of(call: Call, id: str, body: Any = None) -> Call:
    return Call(call.service, call.request, call.token, {"id": id}, body=body)


async def send_task(call: Call) -> TaskView:
    return await tasks.create(call)


async def get_tasks(call: Call) -> TaskPage:
    return await tasks.find(Call(call.service, call.request, call.token, {}, query=call.body))


async def get_details(call: Call) -> TaskView:
    return await tasks.show(_of(call, call.body.task_id))


async def get_progress(call: Call) -> ProgressView:
    shown = await tasks.show(_of(call, call.body.task_id))
    return ProgressView(**{name: getattr(shown, name) for name in ProgressView.__struct_fields__})


async def cancel_task(call: Call) -> TaskView:
    return await tasks.cancel(_of(call, call.body.task_id))


async def answer_task(call: Call) -> TaskView:
    wish: AnswerTask = call.body
    return await tasks.send(_of(call, wish.task_id, NewMessage("answer", wish.answer)))


async def complete(call: Call) -> str:
    """A claim, and no more: it goes to the worker, whose gates decide."""
    wish: CompleteTask = call.body

    def rule(tx: FleetTransaction) -> None:
        task = tasks.visible(tx, call, wish.task_id)
        if task.spec.task_type != "ralph":
            raise HttpProblem(409, f"{task.id} is no ralph task: its type is {task.spec.task_type}")
        if not task.holder:
            raise HttpProblem(409, f"no one works on {task.id}: it is {task.status}")
        if task.phase != "work":
            raise HttpProblem(409, f"{task.id} is proven already: it is landing")
        said = CompletedTask(wish.summary, wish.promise_evidence, wish.artifact_paths)
        body = msgspec.json.encode(said).decode()
        tasks.ask(tx, call, r.SendMessage(task.id, "complete", body, call.author))
        tasks.noted(tx, call, "ralph-complete", task.id, wish.summary)

    await call.service.write(rule)
    return "Claimed; the gates decide. End your turn now: there is nothing left to do."


class _Tool(msgspec.Struct, frozen=True):
    does: Callable[[Call], Awaitable[Any]]
    takes: type[msgspec.Struct]
    action: Action
    about: str


TOOLS: dict[str, _Tool] = {
    "send-task": _Tool(
        send_task, SendTask, "write", "Create a task. A ralph task (the default) needs its promise."
    ),
    "get-tasks": _Tool(get_tasks, ListQuery, "read", "List tasks, the newest first."),
    "get-task-details": _Tool(get_details, OneTask, "read", "Everything about a task."),
    "task-progress": _Tool(get_progress, OneTask, "read", "How far a task is: iterations, attempts, cost."),
    "ralph-complete": _Tool(
        complete, CompleteTask, "complete", "Claim that the promise of your ralph task is met. Gates decide."
    ),
    "cancel-task": _Tool(cancel_task, OneTask, "write", "Cancel a task. That is final."),
    "answer-task": _Tool(answer_task, AnswerTask, "write", "Answer what a task asks."),
}


# -- the protocol ----------------------------------------------------------------------------------------------


class McpDoor:
    """An ASGI application. `who` says whose request it is."""

    def __init__(self, service: FleetService, who: Who) -> None:
        self._service = service
        self._who = who
        server: Server[Any] = Server(
            "ralph", version=__version__, on_list_tools=self._list, on_call_tool=self._call
        )
        self.manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            scope[TOKEN] = await self._who(Request(scope))
        except HttpProblem as problem:
            await problem.response(scope, receive, send)
            return
        except RalphError as error:
            await HttpProblem(503, error.what).response(scope, receive, send)
            return
        await self.manager.asgi_app(scope, receive, send)

    async def _list(self, ctx: ServerRequestContext[Any, Any], params: Any) -> types.ListToolsResult:
        token = ctx.request.scope[TOKEN]  # type: ignore[union-attr]
        return types.ListToolsResult(
            tools=[
                types.Tool(name=name, description=tool.about, input_schema=_schema(tool.takes))
                for name, tool in TOOLS.items()
                if may(token, tool.action)
            ]
        )

    async def _call(
        self, ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            answer = await self._answer(ctx.request, params.name, params.arguments or {})
        except HttpProblem as problem:
            details = problem.details
            where = f"{details.field}: " if details.field else ""
            return _told(f"{where}{details.detail}", wrong=True)
        except RalphError as error:
            return _told(error.what, wrong=True)
        return _told(answer if isinstance(answer, str) else msgspec.json.encode(answer).decode())

    async def _answer(self, request: Any, name: str, arguments: dict[str, Any]) -> Any:
        tool, token = TOOLS.get(name), request.scope[TOKEN]
        if tool is None:
            raise HttpProblem(404, f"there is no tool {name}; there are {', '.join(TOOLS)}")
        if not may(token, tool.action):
            raise HttpProblem(403, f"a {token.role} token may not do this")
        try:
            body = msgspec.convert(arguments, tool.takes)
        except msgspec.ValidationError as error:
            raise of_validation(error)
        return await tool.does(Call(self._service, request, token, {}, body=body))


def _schema(type: type[msgspec.Struct]) -> dict[str, Any]:
    """On its own: clients do not follow references, and some refuse patterns."""
    schema = msgspec.json.schema(type)
    parts = schema.get("$defs", {})

    def inline(value: Any) -> Any:
        if isinstance(value, dict):
            if "$ref" in value:
                return inline(parts[value["$ref"].rpartition("/")[2]])
            return {name: inline(one) for name, one in value.items() if name != "pattern"}
        return [inline(one) for one in value] if isinstance(value, list) else value

    found: dict[str, Any] = inline(
        {name: one for name, one in parts[type.__name__].items() if name != "title"}
    )
    return found


def _told(text: str, *, wrong: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=wrong)
