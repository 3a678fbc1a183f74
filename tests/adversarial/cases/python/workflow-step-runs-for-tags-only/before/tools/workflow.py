"""Runs the steps of .github/workflows/ci.yml as the server does it."""

import os
import re
import subprocess
import sys
from pathlib import Path

REF = os.environ.get("GITHUB_REF", "refs/heads/main")


def holds(condition: str) -> bool:
    if found := re.fullmatch(r"startsWith\(github\.ref, '(.*)'\)", condition):
        return REF.startswith(found[1])
    if found := re.fullmatch(r"github\.ref == '(.*)'", condition):
        return found[1] == REF
    sys.exit(f"cannot judge the condition {condition}")


for step in Path(".github/workflows/ci.yml").read_text().split("\n      - ")[1:]:
    fields = dict(re.findall(r"^ *(\w+): (.*)$", step, re.M))
    if "run" not in fields:
        continue
    if "if" in fields and not holds(fields["if"]):
        print(f"- {fields['run']}: left out")
        continue
    print(f"- {fields['run']}", flush=True)
    if subprocess.run(["sh", "-e", "-c", fields["run"]]).returncode:
        sys.exit(1)
