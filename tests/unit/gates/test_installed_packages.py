"""Which packages the change of a lock file names."""

from __future__ import annotations

import pytest

from ralph.gates.installed_packages import is_lock_file, named_in_change

CASES = {
    "package-lock.json": (
        '{"packages": {"": {"version": "1"}, "node_modules/a": {"version": "1"}}}',
        '{"packages": {"": {"version": "2"}, "node_modules/a": {"version": "1"},'
        ' "node_modules/a/node_modules/@s/b": {"version": "1"}}}',
        {"@s/b"},
    ),
    "yarn.lock": (
        'a@^1.0:\n  version "1.0"\n\n"@s/b@^1", "@s/b@^2":\n  version "2.0"\n',
        'a@^1.0:\n  version "1.0"\n\n"@s/b@^1", "@s/b@^2":\n  version "2.1"\n',
        {"@s/b"},
    ),
    "pnpm-lock.yaml": (
        "packages:\n\n  a@1.0.0:\n    resolution: {integrity: x}\n\n  '@s/b@1.0.0':\n    resolution: {integrity: y}\n",
        "packages:\n\n  a@1.0.0:\n    resolution: {integrity: x}\n\n  '@s/b@1.1.0':\n    resolution: {integrity: z}\n",
        {"@s/b"},
    ),
    "poetry.lock": (
        '[[package]]\nname = "a"\nversion = "1"\n',
        '[[package]]\nname = "a"\nversion = "1"\n[[package]]\nname = "Foo_Bar"\nversion = "1"\n',
        {"foo-bar"},
    ),
    "Pipfile.lock": (
        '{"_meta": {"hash": 1}, "default": {"a": {"version": "1"}}}',
        '{"_meta": {"hash": 2}, "default": {"a": {"version": "2"}}}',
        {"a"},
    ),
    "requirements/dev.txt": ("a==1\nb[x]>=2  # why\n", "a==1  # pinned\nb[x]>=3\n", {"b"}),
    "requirements-dev.txt": ("a==1\n", "", {"a"}),
    "go.sum": ("x.org/a v1 h1:x\n", "x.org/a v1 h1:x\nx.org/b v1 h1:y\n", {"x.org/b"}),
    "Cargo.lock": ("", '[[package]]\nname = "serde"\nversion = "1"\n', {"serde"}),
}


@pytest.mark.parametrize("name", CASES)
def test_only_packages_whose_entries_differ_are_named(name: str) -> None:
    before, after, expected = CASES[name]
    assert is_lock_file(f"sub/{name}")
    assert named_in_change(f"sub/{name}", before, after) == expected


@pytest.mark.parametrize("text", ["{", "[]", '{"packages": 3}', "\0"])
def test_what_cannot_be_read_names_nothing(text: str) -> None:
    assert named_in_change("package-lock.json", "{}", text) == frozenset()


def test_other_files_name_nothing() -> None:
    assert not is_lock_file("notes/requirements.md")
    assert named_in_change("notes/requirements.md", "", "a==1") == frozenset()
