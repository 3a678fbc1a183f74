"""`ralph mcp` as a process: what it starts with, what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from mcp_world import RALPH, World

from ralph.agent_tools.mcp_server import LINE_LIMIT

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
PONG = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
BEGIN = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n'


def spoken(world: World, said: bytes) -> tuple[int, bytes, bytes]:
    process = world.start()
    out, err = process.communicate(said, timeout=60)
    return process.returncode, out, err


def test_the_end_of_input_ends_it_with_success(world: World) -> None:
    assert spoken(world, b"") == (0, b"", b"")
    assert spoken(world, PING) == (0, PONG, b"")
    assert spoken(world, PING.rstrip(b"\n")) == (0, PONG, b""), "the last line may lack its end"


def test_every_line_printed_is_one_answer(world: World) -> None:
    code, out, err = spoken(world, b"garbage\n\n\r\n" + PING + b'{"jsonrpc":"2.0","method":"x"}\n' + BEGIN)
    assert (code, err) == (0, b"")
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["id"] for answer in answers] == [None, 1, 0]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)


def test_a_line_is_answered_while_the_next_is_not_there_yet(world: World) -> None:
    process = world.start()
    assert process.stdin and process.stdout
    for _ in range(3):
        process.stdin.write(PING)
        process.stdin.flush()
        assert process.stdout.readline() == PONG
    process.stdin.write(PING[:10])
    process.stdin.flush()
    process.stdin.write(PING[10:])
    process.stdin.flush()
    assert process.stdout.readline() == PONG
    process.communicate(timeout=60)


def test_a_huge_line_is_refused_and_costs_no_memory(world: World) -> None:
    process = world.start()
    assert process.stdin and process.stdout
    process.stdin.write(b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":"')
    block = b"x" * (1 << 20)
    for _ in range(40):
        process.stdin.write(block)
    process.stdin.write(b'"}\n' + PING)
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert (answer["id"], answer["error"]["code"]) == (5, -32600)
    assert process.stdout.readline() == PONG
    if sys.platform == "linux":
        status = open(f"/proc/{process.pid}/status").read()
        highest = int(status.partition("VmHWM:")[2].split()[0])
        assert highest < 40_000, f"{highest} kB"
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_a_line_up_to_the_limit_is_read(world: World) -> None:
    long = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"%s"}}\n' % (b"x" * (LINE_LIMIT - 100))
    assert spoken(world, long) == (0, PONG, b"")


def test_a_client_that_no_longer_reads_is_no_error(world: World) -> None:
    process = world.start()
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    process.stdin.write(PING)
    process.stdin.flush()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == b""
    process.stderr.close()
    process.stdin.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_quietly(world: World, number: int) -> None:
    process = world.start()
    assert process.stdin and process.stdout
    process.stdin.write(PING)
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(number)
    assert process.wait(timeout=60) == 0
    assert process.communicate() == (b"", b"")


def test_a_second_signal_ends_it_even_if_the_client_does_not_read(world: World) -> None:
    process = world.start()
    assert process.stdin and process.stdout
    process.stdin.write(PING)
    process.stdin.flush()
    process.stdout.readline()  # it is there, and minds signals
    os.set_blocking(process.stdin.fileno(), False)
    sent, deadline = 0, time.monotonic() + 60
    while sent < 100 and time.monotonic() < deadline:  # until it cannot write any more, and so does not read
        try:
            os.write(process.stdin.fileno(), PING * 500)
            sent = 0
        except BlockingIOError:
            sent += 1
            time.sleep(0.002)
    while process.poll() is None and time.monotonic() < deadline:
        process.send_signal(signal.SIGTERM)
        time.sleep(0.01)
    assert process.returncode == 0
    process.communicate()


def test_nothing_but_the_protocol_reaches_standard_output(world: World) -> None:
    script = (
        "import sys; from ralph.agent_tools import commands, mcp_server, mcp_tools\n"
        "mcp_tools.TOOLS['list_tasks'].do = lambda caller, arguments: print('stray') or 'x'\n"
        "sys.exit(commands.serve(['mcp']))\n"
    )
    call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tasks"}}\n'
    done = subprocess.run([sys.executable, "-c", script], input=call, capture_output=True, cwd=world.root)
    assert json.loads(done.stdout)["result"]["content"][0]["text"] == "x"
    assert done.stderr == b"stray\n"


def test_it_loads_nothing_but_the_standard_library(world: World) -> None:
    script = (
        "import sys, importlib, pkgutil, ralph.agent_tools\n"
        "from ralph.cli import entry\n"
        "for module in pkgutil.iter_modules(ralph.agent_tools.__path__):\n"
        "    if module.name != 'hooks': importlib.import_module('ralph.agent_tools.' + module.name)\n"
        "outside = {m.split('.')[0] for m in sys.modules} & {'click', 'msgspec', 'yaml', 'mcp'}\n"
        "slow = set(sys.modules) & {'pathlib', 'subprocess', 'asyncio', 'logging', 'hashlib', 'difflib'}\n"
        "sys.exit(', '.join(sorted(outside | slow - before)) or 0)\n"
    )
    script = "import sys; before = set(sys.modules)\nimport pkgutil; before |= set(sys.modules)\n" + script
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_help_and_wrong_arguments() -> None:
    helped = subprocess.run([RALPH, "mcp", "--help"], capture_output=True, text=True)
    assert helped.returncode == 0
    assert helped.stdout.startswith("Usage: ralph mcp")
    wrong = subprocess.run(
        [RALPH, "mcp", "--port", "1"], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "unknown argument '--port'" in wrong.stderr


def test_a_wrong_name_among_the_tools_is_told_on_the_side(world: World) -> None:
    world.env["RALPH_TOOLS"] = "emit_events,ask_human"
    code, out, err = spoken(world, b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    assert code == 0
    assert [tool["name"] for tool in json.loads(out)["result"]["tools"]] == ["ask_human"]
    assert err == b"ralph mcp: RALPH_TOOLS names 'emit_events', which is no tool\n"
