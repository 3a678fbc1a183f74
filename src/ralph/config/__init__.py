"""ralph.yml: its keys, its checks with line numbers, and what comes of it together with the command line."""
