"""The workspace: snapshots, recovery, gate inputs and clean checkouts, by git plumbing."""

from ralph.workspace.checkout import checkout
from ralph.workspace.hidden import newly_ignored, own_excludes
from ralph.workspace.inputs import gate_inputs, judging_files, named_in, touched_inputs
from ralph.workspace.recovery import Saved, drop, save, saved
from ralph.workspace.refwatch import RefWatch
from ralph.workspace.repo import Repo, commits_between, find, head, own_files, printable, without_git
from ralph.workspace.snapshot import Snapshot, Snapshots
from ralph.workspace.trees import Change
from ralph.workspace.uncommitted import committed, dirty
from ralph.workspace.unrecorded import Stamp, held, made_by_tools, named_files, stamps

__all__ = [
    "Change",
    "RefWatch",
    "Repo",
    "Saved",
    "Snapshot",
    "Snapshots",
    "Stamp",
    "checkout",
    "commits_between",
    "committed",
    "dirty",
    "drop",
    "find",
    "gate_inputs",
    "head",
    "held",
    "judging_files",
    "made_by_tools",
    "named_files",
    "named_in",
    "newly_ignored",
    "own_excludes",
    "own_files",
    "printable",
    "save",
    "saved",
    "stamps",
    "touched_inputs",
    "without_git",
]
