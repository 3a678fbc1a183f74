"""`ralph run`, `ralph resume`, and the commands that steer a live run."""
