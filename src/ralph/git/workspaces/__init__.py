"""Where loops work that do not work in place: clones and worktrees, kept in a pool."""
