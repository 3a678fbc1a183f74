"""Where in Ralph's folder the output of an operation is. Facts say it once the operation has ended; until then, this rule."""

from __future__ import annotations


def transcript_name(run: str, loop: str, op: str) -> str:
    return f"runs/{run}/{loop}/{op.replace(':', '-').replace('/', '_')}.out"
