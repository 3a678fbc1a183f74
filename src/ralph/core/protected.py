"""What an agent does not change unless a task allows it: Ralph's own file, and what a CI service runs with its rights."""

from __future__ import annotations

from collections.abc import Sequence

# A pattern with a slash counts from the root and means all below it: services look there and nowhere else.
PROTECTED = (
    "ralph.yml",
    *("/.github/workflows", "/.github/actions", "/.forgejo/workflows", "/.gitea/workflows"),
    *("/.gitlab-ci.yml", "/.gitlab/ci", "/.circleci", "/.buildkite", "/.woodpecker", "/.woodpecker.yml"),
    *("Jenkinsfile", "/azure-pipelines.yml", "/.azure-pipelines", "/.travis.yml", "/bitbucket-pipelines.yml"),
    *("/.drone.yml", "/.cirrus.yml", "/appveyor.yml", "/.appveyor.yml", "/.semaphore", "/.teamcity"),
    *("/buildspec.yml", "/cloudbuild.yaml", "/.builds", "/.build.yml"),
)


def put_back(paths: Sequence[str]) -> str:
    """For the agent and for people: what was undone, and what would let it stay."""
    more = f" and {len(paths) - 5} more" if len(paths) > 5 else ""
    named = ", ".join(paths[:5]) + more
    return f"changes to protected files were undone: {named} (only `allow` in the task or in ralph.yml lets them stay)"
