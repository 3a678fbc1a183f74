"""What agents and reviewers are told."""
