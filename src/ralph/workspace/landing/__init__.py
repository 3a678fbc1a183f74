"""Landing by git plumbing: what a loop made becomes one commit on the target, and nothing of the user's is touched."""

from ralph.workspace.landing.checkouts import Checkout, worktrees_on
from ralph.workspace.landing.failure import (
    Failure,
    FailureBranch,
    archive,
    fail_branch,
    fail_commit,
    failure_branches,
    failure_message,
    find_failure,
)
from ralph.workspace.landing.follow import Overlap, would_overlap
from ralph.workspace.landing.land import Landed, Recovered, land, recover
from ralph.workspace.landing.moves import forget, forget_base, keep, keep_base, move
from ralph.workspace.landing.refs import Locked, Moved, Raced, is_landed, is_taken_over, target, tip
from ralph.workspace.landing.remote import (
    NO_GH,
    NotPushed,
    PullRequest,
    Pushed,
    find_pull_request,
    open_pull_request,
    push,
)
from ralph.workspace.landing.squash import (
    Merged,
    Person,
    aside,
    author,
    bring_history,
    bring_tree,
    merge,
    message,
    squash,
)

__all__ = [
    "NO_GH",
    "Checkout",
    "Failure",
    "FailureBranch",
    "Landed",
    "Locked",
    "Merged",
    "Moved",
    "NotPushed",
    "Overlap",
    "Person",
    "PullRequest",
    "Pushed",
    "Raced",
    "Recovered",
    "archive",
    "aside",
    "author",
    "bring_history",
    "bring_tree",
    "fail_branch",
    "fail_commit",
    "failure_branches",
    "failure_message",
    "find_failure",
    "find_pull_request",
    "forget",
    "forget_base",
    "is_landed",
    "is_taken_over",
    "keep",
    "keep_base",
    "land",
    "merge",
    "message",
    "move",
    "open_pull_request",
    "push",
    "recover",
    "squash",
    "target",
    "tip",
    "worktrees_on",
    "would_overlap",
]
