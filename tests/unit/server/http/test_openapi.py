"""The OpenAPI document is complete and true: schemathesis tries it out on a real server, with every check it knows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from ralph.server.http.openapi import describe
from ralph.server.http.routes import ENDPOINTS
from serving import serving

LONGEST = 8000  # characters: hypothesis makes no longer text, and ends with an error when it is to exceed such a limit


def without_long_limits(schema: Any) -> Any:
    if isinstance(schema, list):
        return [without_long_limits(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: value
        for key, value in schema.items()
        if not (key == "maxLength" and isinstance(value, int) and value > LONGEST)
    }
    return {key: without_long_limits(value) for key, value in kept.items()}


def test_schemathesis_finds_nothing(tmp_path: Path) -> None:
    streams = [row.path for row in ENDPOINTS if row.streams]
    with serving(tmp_path / "home") as served:
        document = tmp_path / "openapi.json"
        document.write_text(json.dumps(without_long_limits(served.ask("GET", "/api/openapi.json").json)))
        done = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "run", str(document), "--url", served.url),
                *("--header", f"Authorization: Bearer {served.token}", "--checks", "all", "--no-color"),
                *("--max-examples", "8", "--seed", "1", "--request-timeout", "100"),
                *(word for path in streams for word in ("--exclude-path", path)),
                *("--suppress-health-check", "all"),
            ],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr


def test_every_path_is_in_the_document() -> None:
    paths = describe(ENDPOINTS)["paths"]
    said = {(path, method.upper()) for path, methods in paths.items() for method in methods}
    assert said == {(row.path, row.method) for row in ENDPOINTS}
