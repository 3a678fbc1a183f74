"""The repository, by git plumbing. The user's index, HEAD, hooks and refs are never touched without need."""
