"""Landing by git plumbing: what a loop made becomes one commit on the target, and nothing of the user's is touched."""
