"""Runs the steps of the workflow as the CI would."""
import subprocess
import sys
from pathlib import Path

import yaml

workflow = yaml.safe_load(Path(".github/workflows/test.yml").read_text())
for job in workflow["jobs"].values():
    for step in job["steps"]:
        if "run" in step:
            done = subprocess.run(["sh", "-ec", step["run"]])
            if done.returncode and not step.get("continue-on-error"):
                sys.exit(done.returncode)
