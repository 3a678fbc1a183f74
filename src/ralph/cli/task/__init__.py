"""`ralph task`: the backlog from the command line."""
